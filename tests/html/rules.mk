# make test-html   install Chromium, open the HTML reports in it, try zoom and sorting
.PHONY: test-html
test-html:
	@scripts/setup html
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/html/run
