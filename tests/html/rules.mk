# make test-html   install Chromium, open the HTML reports in it, try zoom and sorting
.PHONY: test-html
test-html:
	@scripts/setup html
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/html/run

# make pictures    draw the picture of README.md, docs/report.png, anew
.PHONY: pictures
pictures:
	@scripts/setup html
	@$(MAKE) --no-print-directory all
	@$(BUILD)/cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 -o $(BUILD)/report.html >/dev/null
	@timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,822 \
	    --user-data-dir=$(abspath $(BUILD))/chromium --screenshot=$(CURDIR)/docs/report.png \
	    file://$(abspath $(BUILD))/report.html 2>/dev/null
	@rm -rf $(BUILD)/chromium
