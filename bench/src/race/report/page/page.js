// All parts of the page, drawn again where a choice changes them.

function changed(change) {
  Object.assign(state, change);
  if (!queriesOf(state.suite).some(({ query }) => query === state.query)) {
    state.query = queriesOf(state.suite)[0]?.query;
  }
  writeAddress();
  drawChoice();
}

/** Whatever has the keyboard keeps it, although its element is a new one. */
function drawChoice() {
  const { key } = document.activeElement?.dataset ?? {};
  drawControls(changed);
  drawPanels();
  drawNumbers();
  if (key) document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

readAddress();
drawHeader();
drawOverview((suite, query) => {
  changed({ suite, query });
  byId("explore").scrollIntoView();
});
drawChoice();
drawStarts();
drawAbout();
