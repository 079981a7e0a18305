// This runs before the browser draws the page, so that a dark page is never white first.
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.classList.toggle("pf-v6-theme-dark", isDark);
