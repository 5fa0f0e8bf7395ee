// Takes the secret of a link from behind the # of the address, which no server sees, into the form.
"use strict";

const takeToken = () => {
  const field = document.querySelector("[data-token]");
  const token = location.hash.slice(1);
  if (!field || !token) return;
  field.value = token;
  document.querySelector("[data-ready]").hidden = false;
  history.replaceState(null, "", location.pathname + location.search); // it does not stay in the history
  field.form.querySelector("button").focus();
};

takeToken();
window.addEventListener("hashchange", takeToken); // another link, opened where a login page is already
