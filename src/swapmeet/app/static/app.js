// What plain pages cannot do: copy a command, ask before something is removed, show an upload.
"use strict";

document.addEventListener("submit", (event) => {
  const words = event.target.dataset.confirm;
  if (words && !window.confirm(words)) event.preventDefault();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  const text = button.parentElement.querySelector("code").textContent;
  await navigator.clipboard.writeText(text);
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 1500);
});

for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
}

// A form that names another is sent together with what stands in that one, so that it is not lost.
document.addEventListener("formdata", (event) => {
  const other = document.getElementById(event.target.dataset.with);
  for (const one of other ? other.elements : []) {
    const counts = one.name && (one.type !== "checkbox" || one.checked);
    if (counts && one.name !== "csrf") event.formData.append(one.name, one.value);
  }
});

for (const form of document.querySelectorAll("form[data-upload]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const bar = form.querySelector("progress");
    const button = form.querySelector("button");
    const request = new XMLHttpRequest();
    bar.hidden = false;
    button.disabled = true;
    request.upload.addEventListener("progress", (step) => {
      if (step.lengthComputable) bar.value = step.loaded / step.total;
    });
    request.addEventListener("load", () => {
      if (request.status < 400) { window.location.assign(request.responseURL); return; }
      show(request.responseText);
    });
    request.addEventListener("error", () => {
      button.disabled = false;
      bar.hidden = true;
      tell("The upload was broken off. Is Swapmeet still running? Try again, or open the file by its path.");
    });
    request.open("POST", form.action);
    request.send(new FormData(form));
  });
}

function show(page) {
  const read = new DOMParser().parseFromString(page, "text/html");
  const problem = read.querySelector(".problem, main p");
  tell(problem ? problem.textContent : "The file could not be opened.");
  for (const form of document.querySelectorAll("form[data-upload]")) {
    form.querySelector("button").disabled = false;
    form.querySelector("progress").hidden = true;
  }
}

function tell(words) {
  let box = document.querySelector(".problem");
  if (!box) {
    box = document.createElement("div");
    box.className = "problem";
    box.setAttribute("role", "alert");
    document.querySelector("main").prepend(box);
  }
  box.textContent = words;
  box.scrollIntoView({ block: "center" });
}

// A page with something new is loaded anew, but not while somebody is filling in a form of it.
document.body.addEventListener("htmx:beforeOnLoad", (event) => {
  if (!event.detail.xhr.getResponseHeader("HX-Refresh") || !isFilledIn()) return;
  event.preventDefault();
  const again = document.createElement("a");
  again.href = "";
  again.textContent = "Load the page anew";
  const note = document.createElement("p");
  note.className = "ended";
  note.append("This page has something new. ", again, ", once you have sent what you are filling in.");
  document.getElementById("ended").replaceChildren(note);
  document.getElementById("jobs").remove();
});

function isFilledIn() {
  return [...document.querySelectorAll("main input, main textarea")].some((one) =>
    one.value !== one.defaultValue || one.checked !== one.defaultChecked);
}

document.body.addEventListener("htmx:sendError", () => {
  tell("Swapmeet does not answer. If it was stopped, run swapmeet app again; your work is kept.");
});
document.body.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status === 403) {
    tell("Swapmeet was started anew. Open the link that the terminal shows; your work is kept.");
  }
});
