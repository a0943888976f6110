# == Build and install
# make wheel       the Python package with the library in $(BUILD)/wheel
# == Test
# make test-python  install the wheel into an environment of its own and test it; JAX=1: with the compiler too
.PHONY: wheel test-python
wheel: shared
	@scripts/package/make-wheel $(BUILD)

PYTHON_ENV := $(BUILD)/python-env$(if $(JAX),-jax)
PYTHON_COMPILERS := [compile,compile-gpu]
test-python: all wheel locale
	@python3 -m venv --clear $(PYTHON_ENV)
	@$(PYTHON_ENV)/bin/pip install -q --disable-pip-version-check "$$(ls $(BUILD)/wheel/*.whl)$(if $(JAX),$(PYTHON_COMPILERS))" -r tests/python/requirements.txt
	@$(TEST_ENV) $(PYTHON_ENV)/bin/python -m pytest -q -p no:cacheprovider tests/python
	@$(TEST_ENV) TEST_LOCALE="$(WHOLE)/locale" $(PYTHON_ENV)/bin/python -m pytest -q -p no:cacheprovider tests/python
