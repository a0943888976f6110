# == Test
# make test-html   install Chromium, open the HTML reports in it, try zoom and sorting
.PHONY: test-html
test-html:
	@scripts/setup html
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tests/html/run

# == Documents
# make pictures    draw the pictures of the documents, docs/report.png and docs/profiles.png, anew
.PHONY: pictures
comma := ,
PICTURES := "$(WHOLE)/pictures"
draw = timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=$(2) --user-data-dir=$(PICTURES)/chromium \
  --virtual-time-budget=3000 --screenshot="$(CURDIR)"/docs/$(1).png file://$(PICTURES)/$(1).html 2>/dev/null
pictures:
	@scripts/setup html
	@$(MAKE) --no-print-directory all
	@rm -rf $(PICTURES) && mkdir -p $(PICTURES)
	@$(BUILD)/cyclotron replay traces/3dgan.trace.zst -m tpu-v3-8 -o $(PICTURES)/report.html >/dev/null
	@zstd -dq tests/profiles/v6e_host_offload.xplane.pb.zst -o $(PICTURES)/v6e.xplane.pb
	@cd $(PICTURES) && "$(WHOLE)/cyclotron" profile v6e.xplane.pb -o profiles.html >/dev/null
	@$(call draw,report,1200$(comma)822)
	@$(call draw,profiles,1300$(comma)1010)
	@rm -rf $(PICTURES)
