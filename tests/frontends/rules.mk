# == Test
# make test-frontends  compile the examples of docs/guide/your-model.md, each frontend in an environment of its own
.PHONY: test-frontends
test-frontends:
	@tests/frontends/run
