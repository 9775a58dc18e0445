// Figures as people read them.

const format = (value) => (value == null ? "–" : Math.round(value).toLocaleString("en"));
