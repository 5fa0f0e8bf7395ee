// What a podium site adds to its pages: a theme, search, sorting, filters, tooltips, comparisons.
// Pages are complete without it, but for the comparisons. Texts are put into the page as texts, never as HTML.
"use strict";

(() => {
  const root = document.documentElement;

  // ---- Theme: before the page is drawn, so that it does not flash.
  const THEMES = ["system", "light", "dark"];

  function remembered() {
    try {
      const theme = localStorage.getItem("podium-theme");
      return THEMES.includes(theme) ? theme : "system";
    } catch {
      return "system"; // a browser may refuse to remember anything
    }
  }

  function wear(theme) {
    if (theme === "system") delete root.dataset.theme;
    else root.dataset.theme = theme;
    try {
      localStorage.setItem("podium-theme", theme);
    } catch {
      // it is worn until the page is left
    }
  }

  wear(remembered());

  function startTheme(button) {
    const say = (theme) => (button.textContent = `Theme: ${theme}`);
    let theme = remembered();
    say(theme);
    button.hidden = false;
    button.addEventListener("click", () => {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
      wear(theme);
      say(theme);
    });
  }

  // ---- Small helpers
  function element(name, properties = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(properties)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function drawn(name, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  const unseen = (text) => element("span", { class: "unseen" }, text);
  const nameOf = (text) => element("bdi", { class: "long" }, text);
  // As chance_words of text.py: nothing is certain.
  const chanceWords = (chance) => {
    const shown = Math.round(100 * chance);
    return shown >= 100 ? ">99%" : shown <= 0 ? "<1%" : `${shown}%`;
  };

  // ---- Data: each file is a script that calls podiumData with its key and its value.
  const waiting = new Map();
  const loaded = new Map();

  window.podiumData = (key, value) => waiting.get(key)?.(value);

  function load(key) {
    if (!loaded.has(key)) {
      loaded.set(
        key,
        new Promise((resolve) => {
          waiting.set(key, resolve);
          const script = element("script", { src: `${document.body.dataset.data}${key}.js` });
          script.addEventListener("error", () => resolve(null));
          document.head.append(script);
        }),
      );
    }
    return loaded.get(key);
  }

  // ---- Search: rows are [name, address, rating, place, data key, mu, sigma, events].
  const MOST_SHARDS = 8;
  const MOST_FOUND = 12;

  // The same as search_words of data_scripts.py.
  const searchWords = (text) =>
    text.toLowerCase().normalize("NFKD").replace(/\p{Mn}/gu, "").match(/[\p{L}\p{N}]+/gu) ?? [];

  async function rowsNear(word) {
    const starts = (await load("search/index")) ?? [];
    const near = [...starts.keys()].filter((n) => word.startsWith(starts[n]) || (word && starts[n].startsWith(word)));
    const shards = await Promise.all(near.slice(0, MOST_SHARDS).map((n) => load(`search/${n}`)));
    return { rows: shards.flatMap((shard) => shard ?? []), whole: starts.length === 1 };
  }

  // A service finds players itself; a website has an index of names, in files.
  async function foundByService(query) {
    const answer = await fetch(`${document.body.dataset.find}?format=json&q=${encodeURIComponent(query)}`);
    const rows = answer.ok ? (await answer.json()).rows : [];
    return rows.map((row) => {
      const page = `players/${row.number}`;
      return [row.player, page, row.rating, row.place, page, row.mu, row.sigma, row.events];
    });
  }

  async function find(query) {
    if (document.body.dataset.find) return (await foundByService(query)).slice(0, MOST_FOUND);
    const words = searchWords(query);
    const longest = words.reduce((one, other) => (other.length > one.length ? other : one), "");
    const { rows, whole } = await rowsNear(longest);
    const plain = query.trim().toLowerCase();
    const fits = (name) => {
      if (!words.length) return name.toLowerCase().includes(plain);
      const spaced = ` ${searchWords(name).join(" ")}`;
      return words.every((word) => spaced.includes(whole ? word : ` ${word}`));
    };
    const found = new Map(rows.filter((row) => fits(row[0])).map((row) => [row[0], row]));
    const place = (row) => row[3] ?? Infinity;
    return [...found.values()].sort((a, b) => (place(a) < place(b) ? -1 : place(a) > place(b) ? 1 : 0)).slice(0, MOST_FOUND);
  }

  async function rowOf(name) {
    if (document.body.dataset.find) return (await foundByService(name)).find((row) => row[0] === name) ?? null;
    const { rows } = await rowsNear(searchWords(name)[0] ?? "");
    return rows.find((row) => row[0] === name) ?? null;
  }

  // An input with a list of players below it: a combobox as ARIA describes it. Where a new name may be typed,
  // the latest players are offered first, and Enter takes a player only if one is marked.
  function startSearch(input, choose, latest = null) {
    const list = element("ul", { class: "found", role: "listbox", id: `${input.id}-found`, "aria-label": "Players found" });
    list.hidden = true;
    input.after(list);
    for (const [key, value] of Object.entries({
      role: "combobox", "aria-autocomplete": "list", "aria-controls": list.id, "aria-expanded": "false",
    })) input.setAttribute(key, value);
    let rows = [];
    let active = -1;
    let turn = 0;

    function show(open) {
      list.hidden = !open;
      input.setAttribute("aria-expanded", String(open));
      if (!open) mark(-1);
    }

    function mark(number) {
      active = number;
      [...list.children].forEach((item, n) => item.setAttribute("aria-selected", String(n === number)));
      if (number < 0) input.removeAttribute("aria-activedescendant");
      else {
        input.setAttribute("aria-activedescendant", list.children[number].id);
        list.children[number].scrollIntoView({ block: "nearest" });
      }
    }

    function take(number) {
      show(false);
      choose(rows[number]);
    }

    async function look() {
      const mine = ++turn;
      const query = input.value.trim();
      const found = query ? await find(query) : (latest ?? []).slice(0, MOST_FOUND).map((name) => [name, "", ""]);
      if (mine !== turn) return;
      rows = found;
      list.replaceChildren(
        ...rows.map(([name, , rating, place], n) =>
          element("li", { role: "option", id: `${list.id}-${n}`, "aria-selected": "false" },
            nameOf(name), element("span", { class: "note" }, (place ?? null) === null ? rating : `${rating} · no. ${place}`)),
        ),
      );
      if (query && !rows.length) list.append(element("li", { role: "option", "aria-disabled": "true" }, latest ? "New player" : "No player found"));
      show(Boolean(query || rows.length));
    }

    input.addEventListener("input", look);
    if (latest) input.addEventListener("focus", look);
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show(false);
      else if (event.key === "Enter") {
        const chosen = !list.hidden && rows.length && (active >= 0 || !latest);
        if (chosen || !input.form.hasAttribute("action")) event.preventDefault();
        if (chosen) take(Math.max(active, 0));
      } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (list.hidden || !rows.length) return;
        mark((active + (event.key === "ArrowDown" ? 1 : rows.length - (active < 0 ? 0 : 1))) % rows.length);
      }
    });
    list.addEventListener("mousedown", (event) => event.preventDefault()); // the input keeps the focus
    list.addEventListener("click", (event) => {
      const number = [...list.children].indexOf(event.target.closest("li"));
      if (number >= 0 && rows[number]) take(number);
    });
    input.addEventListener("blur", () => show(false));
  }

  function startPlayerSearch(form) {
    form.hidden = false;
    if (!form.hasAttribute("action")) form.addEventListener("submit", (event) => event.preventDefault());
    startSearch(form.querySelector("input"), (row) => location.assign(pageOf(row)));
  }

  // An input of a form for a player: without this script it has a plain list.
  function startPlayerInput(input) {
    const latest = [...(input.list?.options ?? [])].map((option) => option.value);
    input.removeAttribute("list");
    input.parentElement.classList.add("finds");
    startSearch(input, ([name]) => { input.value = name; }, latest);
  }

  // A time is sent with how far the clock here is from UTC at that time.
  function startLocalTime(input) {
    const offset = input.form.elements.offset;
    const send = () => { offset.value = input.value ? -new Date(input.value).getTimezoneOffset() : ""; };
    input.form.querySelector("[data-zone]").hidden = true;
    input.addEventListener("input", send);
    send();
  }

  const pageOf = (row) => `${document.body.dataset.data}../${row[1]}`;

  // ---- Sorting: headers become buttons; each group of a table is sorted by itself.
  function startSorting(table) {
    for (const header of table.querySelectorAll("th[data-sort]")) {
      const button = element("button", { type: "button" }, ...header.childNodes);
      header.replaceChildren(button);
      button.addEventListener("click", () => {
        // Of ratings the highest come first, of ranks and texts the first.
        const first = header.dataset.sort === "number" ? "descending" : "ascending";
        const second = first === "ascending" ? "descending" : "ascending";
        const direction = header.getAttribute("aria-sort") === first ? second : first;
        for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
        header.setAttribute("aria-sort", direction);
        sortBy(table, header.cellIndex, header.dataset.sort !== "text", direction === "ascending" ? 1 : -1);
      });
    }
  }

  function sortBy(table, column, numeric, sign) {
    const value = (row) => {
      const cell = row.cells[column];
      const text = cell.dataset.value ?? cell.querySelector("time")?.dateTime ?? cell.textContent.trim().replace(/^–$/, "");
      if (!numeric) return text;
      const number = Number.parseFloat(text.replace("−", "-").replaceAll(",", ""));
      return Number.isNaN(number) ? null : number;
    };
    const compare = numeric ? (a, b) => a - b : (a, b) => a.localeCompare(b);
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((row) => !row.classList.contains("heading"));
      const keyed = rows.map((row) => [value(row), row]);
      // What has no number comes last, whatever the direction.
      keyed.sort(([a], [b]) => (a === null || b === null ? (a === null) - (b === null) : sign * compare(a, b)));
      body.append(...keyed.map(([, row]) => row));
    }
  }

  // ---- Filters of the leaderboard
  function startFilters(form) {
    const table = document.getElementById(form.dataset.filters);
    if (form.querySelectorAll("input").length < 2 && !form.querySelector("select")) return;
    form.hidden = false;
    const apply = () => {
      const chosen = new FormData(form);
      const groups = chosen.getAll("group");
      const tier = chosen.get("tier") ?? "";
      for (const body of table.tBodies) {
        body.hidden = !groups.includes(body.dataset.group);
        for (const row of body.rows) {
          if (!row.classList.contains("heading")) row.hidden = tier !== "" && row.dataset.tier !== tier;
        }
      }
    };
    form.addEventListener("change", apply);
    form.addEventListener("submit", (event) => event.preventDefault());
    apply(); // a browser may have kept what was chosen before
  }

  // ---- Tooltips: the words are those that a browser shows by itself, only at once.
  function startTips() {
    const tip = element("div", { class: "tip", "aria-hidden": "true" });
    tip.hidden = true;
    document.body.append(tip);
    const words = new WeakMap();
    const hide = () => (tip.hidden = true);
    document.addEventListener("pointerover", (event) => {
      const target = event.target.closest?.(".target");
      if (!target) return hide();
      const title = target.querySelector("title");
      if (title) {
        words.set(target, title.textContent);
        title.remove();
      }
      tip.textContent = words.get(target);
      tip.hidden = false;
      follow(event);
    });
    function follow(event) {
      if (tip.hidden) return;
      const { width, height } = tip.getBoundingClientRect();
      const left = Math.min(Math.max(8, event.clientX - width / 2), innerWidth - width - 8);
      const above = event.clientY - height - 14;
      tip.style.left = `${left}px`;
      tip.style.top = `${above > 4 ? above : event.clientY + 20}px`;
    }
    document.addEventListener("pointermove", follow);
    document.addEventListener("scroll", hide, { passive: true });
    document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  }

  // ---- Comparisons
  const MOST_COMPARED = 5;
  const COLOURS = ["one", "two", "three", "four", "five"];

  function startComparing(place) {
    place.hidden = false;
    const chips = place.querySelector(".chips");
    const shown = place.querySelector("[data-compared]");
    // A service has read from the address who is meant.
    if (!location.hash && place.dataset.chosen) history.replaceState(null, "", `#${place.dataset.chosen}`);
    const input = place.querySelector("input");
    let turn = 0;
    const chosen = () => {
      const parts = location.hash.slice(1).split("&").filter(Boolean);
      return [...new Set(parts.map(decoded))].slice(0, MOST_COMPARED);
    };
    const choose = (names) => {
      location.hash = names.map(encodeURIComponent).join("&");
    };
    place.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    startSearch(input, (row) => {
      input.value = "";
      choose([...new Set([...chosen(), row[0]])].slice(0, MOST_COMPARED));
    });

    async function draw() {
      const mine = ++turn;
      const names = chosen();
      const people = (await Promise.all(names.map(person))).filter(Boolean);
      const unknown = names.filter((name) => !people.some((one) => one.name === name));
      const board = (await load("compare")) ?? {};
      const pairs = await Promise.all(pairsOf(people).map((pair) => met(pair, board.chances)));
      if (mine !== turn) return;
      input.disabled = names.length >= MOST_COMPARED;
      chips.replaceChildren(
        ...people.map((one, n) => {
          const remove = element("button", { type: "button" }, "×", unseen(` remove ${one.name}`));
          remove.addEventListener("click", () => choose(names.filter((name) => name !== one.name)));
          return element("li", {}, key(n), element("a", { href: pageOf(one.row) }, nameOf(one.name)), remove);
        }),
      );
      const parts = unknown.map((name) => element("p", { class: "notice" }, "This ladder has no player named ", nameOf(name), "."));
      if (people.length === 0) parts.push(element("p", {}, "Choose two players to begin."));
      else {
        if (people.length === 1) parts.push(element("p", {}, "Add another player to compare."));
        const drawable = people.some(({ data }) => data.display.length);
        if (drawable) parts.push(section("Ratings over time", historyPicture(people)));
        parts.push(section("Now", ratingsTable(people)));
        if (people.length > 1) parts.push(section("Against each other", pairsTable(pairs)));
      }
      shown.replaceChildren(...parts);
    }

    addEventListener("hashchange", draw);
    draw();
  }

  function decoded(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  }

  async function person(name) {
    const row = await rowOf(name);
    if (!row) return null;
    const bundle = await load(row[4]);
    return bundle?.[name] ? { name, row, data: bundle[name] } : null;
  }

  const key = (n) =>
    drawn("svg", { class: `key ${COLOURS[n]}`, viewBox: "0 0 10 10", "aria-hidden": "true" }, drawn("circle", { cx: 5, cy: 5, r: 5 }));

  function section(title, ...content) {
    return element("section", {}, element("h2", {}, title), ...content);
  }

  function table(caption, heads, rows) {
    const head = heads.map(([text, look]) => element("th", { scope: "col", class: look }, text));
    const body = rows.map((cells) =>
      element("tr", {}, ...cells.map((cell, n) => element(n ? "td" : "th", n ? { class: heads[n][1] } : { scope: "row" }, ...[cell].flat()))),
    );
    return element("div", { class: "table" },
      element("table", {}, element("caption", {}, caption), element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)));
  }

  function ratingsTable(people) {
    const rows = people.map(({ name, row }) => [nameOf(name), row[2], row[3] === null ? "–" : String(row[3]), String(row[7])]);
    return table("Ratings, places and events", [["Player", ""], ["Rating", "number"], ["Place", "number"], ["Events", "number"]], rows);
  }

  const pairsOf = (people) => people.flatMap((one, n) => people.slice(n + 1).map((other) => [one, other]));

  // Two players, their record and the chances now: a service knows, a website has their histories.
  async function met([one, other], chances) {
    if (document.body.dataset.meet) {
      const numbers = [one, other].map(({ row }) => `player=${row[1].split("/")[1]}`).join("&");
      const answer = await fetch(`${document.body.dataset.meet}?${numbers}&format=json`);
      const pair = answer.ok ? (await answer.json()).pair : null;
      return { one, other, chance: pair?.expected_score ?? null, ahead: pair?.wins ?? 0, even: pair?.draws ?? 0, behind: pair?.losses ?? 0 };
    }
    return { one, other, chance: chances ? expectedScore(chances, one.row, other.row) : null, ...headToHead(one.data.met, other.data.met) };
  }

  function pairsTable(pairs) {
    const rows = pairs.map(({ one, other, chance, ahead, even, behind }) => [
      [nameOf(one.name), " – ", nameOf(other.name)],
      chance === null ? "–" : `${chanceWords(chance)} – ${chanceWords(1 - chance)}`,
      ahead + even + behind ? `${ahead} – ${even} – ${behind}` : "never met",
    ]);
    return table("Share of points expected now, and past results: first player ahead – even – behind",
      [["Players", ""], ["Chances now", "number"], ["Met", "number"]], rows);
  }

  // Of two accounts of a player, merged since, each may have been in an event.
  function headToHead(one, other) {
    const where = new Map();
    other.event.forEach((event, m) => where.set(event, [...(where.get(event) ?? []), m]));
    const met = { ahead: 0, even: 0, behind: 0 };
    one.event.forEach((event, n) => {
      for (const m of where.get(event) ?? []) {
        if (one.side && other.side && one.side[n] === other.side[m]) continue;
        const lead = other.rank[m] - one.rank[n];
        met[lead > 0 ? "ahead" : lead < 0 ? "behind" : "even"] += 1;
      }
    });
    return met;
  }

  // The chance from a table of log odds, linear between its entries: see ChancesDocument.
  function expectedScore(chances, a, b) {
    const [stronger, weaker] = a[5] >= b[5] ? [a, b] : [b, a];
    const across = spot(chances.differences, stronger[5] - weaker[5]);
    const high = spot(chances.sigmas, stronger[6] ?? 0);
    const low = spot(chances.sigmas, weaker[6] ?? 0);
    let odds = 0;
    for (const [i, u] of across) for (const [j, v] of high) for (const [k, w] of low) odds += u * v * w * chances.log_odds[i][j][k];
    const novelty = (row) => 1 / (1 + row[7] / (chances.experienced_events ?? 1));
    odds = odds * (chances.slope ?? 1) + (chances.experience ?? 0) * (novelty(stronger) - novelty(weaker));
    const score = 1 / (1 + Math.exp(-odds));
    return stronger === a ? score : 1 - score;
  }

  // The two entries of a rising list around a value, with their weights.
  function spot(list, value) {
    const last = list.length - 1;
    if (value <= list[0]) return [[0, 1]];
    if (value >= list[last]) return [[last, 1]];
    const next = list.findIndex((entry) => entry > value);
    const part = (value - list[next - 1]) / (list[next] - list[next - 1]);
    return [[next - 1, 1 - part], [next, part]];
  }

  // The histories as one picture, built as svg_plot.py does it: across in percent, down in pixels.
  function historyPicture(people) {
    const height = 300, top = 10, bottom = 26;
    const timed = people.every(({ data }) => data.time.every((time, n) => time !== null || data.rank[n] === null));
    const moments = people.map(({ data }) => known(timed ? data.time.map((time) => time && Date.parse(time)) : data.event));
    const [left, right] = around(moments.flat(), 0.01);
    const [low, high] = around(people.flatMap(({ data }) => data.display), 0.06);
    const x = (value) => (100 * (value - left)) / (right - left);
    const y = (value) => top + (height - top - bottom) * (1 - (value - low) / (high - low));
    const marks = [];
    for (const value of ticks(low, high)) {
      marks.push(drawn("line", { class: "grid", x2: "100%", y1: y(value), y2: y(value) }));
      marks.push(drawn("text", { class: "left", x: -6, y: y(value) + 4 }, String(value)));
    }
    for (const value of timed ? years(left, right) : ticks(left, right)) {
      const at = x(value);
      if (timed && at > 94) continue;
      const text = timed ? new Date(value).toISOString().slice(0, right - left > 9e10 ? 4 : 10) : `no. ${value}`;
      marks.push(drawn("text", { class: "middle", x: `${at}%`, y: height - 6 }, text));
    }
    const lines = drawn("svg", { width: "100%", height, viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none" });
    const ends = [];
    people.forEach(({ data }, n) => {
      if (!data.display.length) return; // never played, as far as is known
      const points = data.display.map((value, i) => `${x(moments[n][i]).toFixed(2)} ${y(value).toFixed(1)}`);
      lines.append(drawn("path", { class: `line ${COLOURS[n]}`, d: `M${points.join(" ")}` }));
      ends.push(drawn("circle", { class: `end ${COLOURS[n]}`, cx: `${x(moments[n].at(-1))}%`, cy: y(data.display.at(-1)), r: 4 }));
    });
    const label = `Ratings over time of ${people.map(({ name }) => name).join(", ")}`;
    return drawn("svg", { class: "picture", role: "img", width: "100%", height, "aria-label": label }, ...marks, lines, ...ends);
  }

  // An adjustment that has no time or number of its own is drawn where the event before it is.
  function known(moments) {
    let last = moments.find((moment) => moment !== null) ?? 0;
    return moments.map((moment) => (last = moment ?? last));
  }

  function around(values, margin) {
    const low = values.reduce((a, b) => Math.min(a, b));
    const high = values.reduce((a, b) => Math.max(a, b));
    const room = (high - low) * margin || 1;
    return [low - room, high + room];
  }

  function ticks(low, high, most = 5) {
    const rough = (high - low) / most;
    const base = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((factor) => factor * base).find((one) => one >= rough * (1 - 1e-9));
    const found = [];
    for (let n = Math.ceil(low / step); n * step <= high; n++) found.push(Number((n * step).toPrecision(12)));
    return found;
  }

  // Beginnings of years; of a short time, three days of it.
  function years(left, right) {
    const [first, last] = [left, right].map((moment) => new Date(moment).getUTCFullYear());
    if (right - left <= 9e10) return [0.1, 0.5, 0.9].map((part) => left + part * (right - left));
    return ticks(first, last, 4).filter(Number.isInteger).map((year) => Date.UTC(year)).filter((moment) => moment >= left);
  }

  // ---- Pages of `podium serve`, and the screen of a tournament, are loaded again when there are newer ones.
  function startWatching(address, seconds) {
    let known = null;
    setInterval(async () => {
      try {
        const answer = await fetch(address, { cache: "no-store" });
        const version = await answer.text();
        if (known !== null && answer.ok && version !== known) location.reload();
        if (answer.ok) known = version;
      } catch {
        // the server is away; perhaps it comes back
      }
    }, 1000 * seconds);
  }

  // ---- The clock of a round: the time now, and the minutes since the round was paired.
  function startClock(clock) {
    const began = Date.parse(clock.dataset.clock);
    const show = () => {
      const now = new Date();
      const minutes = Math.max(0, Math.floor((now - began) / 60_000));
      clock.textContent = `${now.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })}, round paired ${minutes} min ago`;
    };
    show();
    setInterval(show, 5_000);
  }

  // ---- A text to send: where a browser refuses the clipboard, the text is selected instead.
  /* A field that shows only the rows of a table with these letters in them. */
  function startFinding(form) {
    const rows = [...document.getElementById(form.dataset.finds).tBodies[0].rows];
    const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
    const words = rows.map((row) => folded(row.textContent));
    const [field, said] = [form.querySelector("input"), form.querySelector("[role=status]")];
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
    field.addEventListener("input", () => {
      const wanted = folded(field.value.trim());
      rows.forEach((row, number) => { row.hidden = !words[number].includes(wanted); });
      said.textContent = wanted ? `${rows.filter((row) => !row.hidden).length} of ${rows.length}` : "";
    });
  }

  function startCopying(button) {
    const text = document.getElementById(button.dataset.copy);
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
      }
    });
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll("[data-clock]").forEach(startClock);
    document.querySelectorAll("[data-theme-switch]").forEach(startTheme);
    document.querySelectorAll("[data-search]").forEach(startPlayerSearch);
    document.querySelectorAll("[data-player]").forEach(startPlayerInput);
    document.querySelectorAll("[data-local]").forEach(startLocalTime);
    document.querySelectorAll("table[data-sortable]").forEach(startSorting);
    document.querySelectorAll("[data-filters]").forEach(startFilters);
    document.querySelectorAll("[data-finds]").forEach(startFinding);
    document.querySelectorAll("[data-copy]").forEach(startCopying);
    document.querySelectorAll("[data-compare]").forEach(startComparing);
    startTips();
    if (document.body.dataset.live) startWatching(document.body.dataset.live, Number(document.body.dataset.pause ?? 1));
  });
})();
