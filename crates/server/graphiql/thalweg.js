// What is Thalweg's own of the page: where the API is, and the tab beside the answer that shows
// what became of the last request.
(() => {
  "use strict";

  const configuration = JSON.parse(document.getElementById("configuration").textContent);
  // Beside the page, wherever a proxy has put it.
  const api = new URL("graphql", location.origin + location.pathname).href;
  const explain = new URL("explain", location.origin + location.pathname).href;
  const h = React.createElement;

  // The last request that a person sent, for the tab, and those before it, for the console's plans.
  const last = { request: null, listeners: new Set() };
  const MOST_REQUESTS = 50;
  const requests = [];

  function remember(request) {
    last.request = request;
    requests.unshift(request);
    requests.length = Math.min(requests.length, MOST_REQUESTS);
    for (const listener of last.listeners) listener(request);
  }

  // The headers of the whole page, which its console sets. They may have a password: a reload forgets
  // them unless a person chose to keep them in the storage of the tab.
  const KEPT_HEADERS = "thalweg-headers";
  let commonPairs = keptPairs() ?? [];

  function keptPairs() {
    try {
      return JSON.parse(sessionStorage.getItem(KEPT_HEADERS));
    } catch {
      return null;
    }
  }

  function commonHeaders() {
    return Object.fromEntries(commonPairs);
  }

  // GraphiQL's own requests ask for the schema, and are nobody's question.
  function isOwn(body) {
    try {
      return JSON.parse(body).operationName === "IntrospectionQuery";
    } catch {
      return false;
    }
  }

  async function send(url, init) {
    if (isOwn(init.body)) return fetch(url, init);
    const started = performance.now();
    performance.clearResourceTimings();
    const response = await fetch(url, init);
    // A stream ends when the reader stops it.
    const bytes = isStream(response) ? 0 : (await response.clone().arrayBuffer()).byteLength;
    const elapsed = performance.now() - started;
    // The browser's own account leaves out what the page did meanwhile.
    const measured = performance.getEntriesByName(url, "resource").at(-1)?.duration;
    remember({
      body: init.body,
      headers: init.headers,
      milliseconds: measured || elapsed,
      bytes,
      timing: response.headers.get("server-timing"),
    });
    return response;
  }

  // The server answers a subscription with a stream of events, and everything else with JSON.
  async function fetcher(parameters, { headers } = {}) {
    const controller = new AbortController();
    const response = await send(api, {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        ...commonHeaders(),
        ...headers,
      },
      body: JSON.stringify(parameters),
      signal: controller.signal,
    });
    return isStream(response) ? results(response, controller) : response.json();
  }

  function isStream(response) {
    return response.headers.get("content-type")?.startsWith("text/event-stream");
  }

  // The results of a subscription. GraphiQL stops it while it waits for the next one, which a
  // generator would not notice.
  function results(response, controller) {
    const events = read(response, controller.signal);
    return {
      [Symbol.asyncIterator]() {
        return this;
      },
      next: () => events.next(),
      return: async () => {
        controller.abort();
        return { done: true, value: undefined };
      },
    };
  }

  async function* read(response, signal) {
    let rest = "";
    try {
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const events = (rest + text).split("\n\n");
        rest = events.pop();
        for (const event of events) {
          const lines = event.split("\n");
          if (lines.includes("event: complete")) return;
          const data = lines.filter((line) => line.startsWith("data: "));
          if (lines.includes("event: next")) {
            yield JSON.parse(data.map((line) => line.slice(6)).join("\n"));
          }
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  // `name;dur=1.5, other;dur=2` by the names.
  function timings(header) {
    const found = {};
    for (const part of (header ?? "").split(",")) {
      const name = part.split(";")[0].trim();
      const duration = /;\s*dur=([\d.]+)/.exec(part);
      if (name && duration) found[name] = Number(duration[1]);
    }
    return found;
  }

  function duration(milliseconds) {
    if (milliseconds < 1) return `${Math.max(1, Math.round(milliseconds * 1000))} µs`;
    if (milliseconds < 1000) return `${milliseconds.toPrecision(3)} ms`;
    return `${(milliseconds / 1000).toFixed(2)} s`;
  }

  function size(bytes) {
    if (bytes < 1000) return `${bytes} B`;
    if (bytes < 1000000) return `${(bytes / 1000).toFixed(1)} kB`;
    return `${(bytes / 1000000).toFixed(1)} MB`;
  }

  // One alternative a kind of token, in the order in which they are tried.
  const SQL = new RegExp(
    [
      /(?<string>'(?:[^']|'')*')/,
      /(?<name>"(?:[^"]|"")*")/,
      /(?<parameter>\$\d+|\?\d+)/,
      /(?<number>\b\d+(?:\.\d+)?\b)/,
      /(?<word>[A-Za-z_][A-Za-z0-9_]*)/,
      /(?<other>\s+|[^])/,
    ]
      .map((token) => token.source)
      .join("|"),
    "g",
  );
  const KEYWORDS = new Set(
    ("ALL AND ANY ARRAY AS ASC BETWEEN BY CASE CAST COLLATE CROSS DELETE DESC DISTINCT ELSE END " +
      "EXCEPT EXISTS FALSE FILTER FIRST FROM FULL GROUP HAVING IN INNER INSERT INTERSECT INTO IS " +
      "JOIN LAST LATERAL LEFT LIKE ILIKE LIMIT MATERIALIZED NOT NULL NULLS OFFSET ON OR ORDER " +
      "ORDINALITY OUTER OVER PARTITION RETURNING RIGHT ROW ROWS SELECT SET SIMILAR THEN TRUE " +
      "UNION UPDATE USING VALUES WHEN WHERE WITH WITHIN").split(" "),
  );
  // A statement is written in one line; these begin a line of their own where nothing encloses them.
  const CLAUSES = new Set(
    "FROM WHERE GROUP HAVING ORDER LIMIT OFFSET LEFT CROSS INNER JOIN UNION RETURNING".split(" "),
  );

  function highlighted(sql) {
    const parts = [];
    let depth = 0;
    let before = "";
    for (const match of sql.matchAll(SQL)) {
      const [kind, text] = Object.entries(match.groups).find(([, value]) => value !== undefined);
      if (text === "(") depth += 1;
      if (text === ")") depth -= 1;
      const keyword = kind === "word" && KEYWORDS.has(text);
      const follows = (before === "LEFT" || before === "CROSS" || before === "INNER") &&
        text === "JOIN";
      if (keyword && depth === 0 && CLAUSES.has(text) && !follows && parts.length > 0) {
        parts.push("\n");
      }
      const shown = keyword ? "keyword" : kind;
      const plain = shown === "other" || shown === "word";
      parts.push(plain ? text : h("span", { key: parts.length, className: `sql-${shown}` }, text));
      if (text.trim()) before = text;
    }
    return parts;
  }

  function Copy({ text, label }) {
    const [copied, setCopied] = React.useState(false);
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Without HTTPS the newer way is not there.
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        document.execCommand("copy");
        area.remove();
      }
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    };
    return h(
      "button",
      { type: "button", className: "thalweg-copy", onClick: copy, "aria-label": label },
      copied ? "Copied" : "Copy",
    );
  }

  function Fact({ name, value, title }) {
    return h(
      "div",
      { className: "thalweg-fact", title },
      h("dt", null, name),
      h("dd", null, value),
    );
  }

  const STAGES = [
    ["document", "Parse, validate"],
    ["plan", "Plan"],
    ["execute", "Execute, write"],
    ["total", "In the server"],
  ];

  // The heading of the request tree, and the unit of costs.
  const OF_DATABASE = { whole: "Request tree", unit: ["row", "rows"] };
  const OF_GATEWAY = { whole: "Plan", unit: ["", ""] };
  const wordsOf = (explained) => (explained.isOfGateway ? OF_GATEWAY : OF_DATABASE);

  // All as text, as `thalweg explain` prints it.
  function asText(explained) {
    const head = explained.isOfGateway ? "-- plan" : "-- request";
    const lines = [head, explained.request.trimEnd(), "", "-- cost", explained.cost];
    // The plan of a gateway has its requests.
    if (explained.isOfGateway) {
      explained.fetches.forEach(({ subgraph }, index) => {
        const statements = explained.statements.filter(({ fetch }) => fetch === index + 1);
        if (statements.length === 0) return;
        lines.push("", `-- statements of ${index + 1}. ${subgraph}, in this process`);
        lines.push(...statements.map(({ text }) => text));
      });
      return `${lines.join("\n")}\n`;
    }
    explained.statements.forEach((statement, index) => {
      const { name, round, how, text, parameters, plan } = statement;
      lines.push("", `-- statement ${index + 1} (${name}, round ${round}): ${how}`, text);
      parameters.forEach((one, place) => lines.push(`--   parameter ${place + 1}: ${one}`));
      if (plan) lines.push("-- plan", ...plan.trimEnd().split("\n").map((line) => `--   ${line}`));
    });
    return `${lines.join("\n")}\n`;
  }

  // A request to a subgraph of a gateway.
  function Fetch({ fetch: { subgraph, how, round, text }, number }) {
    return h(
      "section",
      { className: "thalweg-part" },
      h(
        "header",
        null,
        h("h3", null, h("span", { className: "thalweg-number" }, `Request ${number}`), subgraph),
        h(Copy, { text, label: `Copy request ${number}` }),
      ),
      h("p", { className: "thalweg-how" }, `Round ${round}: ${how}.`),
      h("pre", { className: "thalweg-sql" }, text),
    );
  }

  function Statement({ statement, number }) {
    const { name, how, round, text, parameters, plan } = statement;
    return h(
      "section",
      { className: "thalweg-part" },
      h(
        "header",
        null,
        h("h3", null, h("span", { className: "thalweg-number" }, `Statement ${number}`), name),
        h(Copy, { text, label: `Copy statement ${number}` }),
      ),
      h("p", { className: "thalweg-how" }, `Round ${round}: ${how}.`),
      h("pre", { className: "thalweg-sql" }, highlighted(text)),
      parameters.length > 0 &&
        h(
          "table",
          { className: "thalweg-parameters" },
          h(
            "tbody",
            null,
            parameters.map((parameter, index) =>
              h(
                "tr",
                { key: index },
                h("th", { scope: "row" }, `${/\?\d/.test(text) ? "?" : "$"}${index + 1}`),
                h("td", null, parameter),
              ),
            ),
          ),
        ),
      plan &&
        h(
          "details",
          null,
          h("summary", null, "The database's plan"),
          h("pre", null, plan.trimEnd()),
        ),
    );
  }

  function Explained({ request, explained }) {
    // How long it took then; where the server does not say, how long it takes now.
    const timed = timings(request.timing);
    const stages = Object.keys(timed).length > 0 ? timed : explained.stages;
    const known = explained.documentKnown ? "known from before" : "new to the server";
    const words = wordsOf(explained);
    const unit = words.unit[explained.cost === 1 ? 0 : 1];
    const { fetches = [], statements } = explained;
    const parts = explained.isOfGateway ? fetches : statements;
    const rounds = Math.max(0, ...parts.map((part) => part.round));
    const inRounds = rounds > 1 ? `${parts.length} in ${rounds} rounds` : `${parts.length}`;
    return h(
      React.Fragment,
      null,
      h(
        "dl",
        { className: "thalweg-facts" },
        STAGES.filter(([stage]) => Number.isFinite(stages[stage])).map(([stage, name]) =>
          h(Fact, { key: stage, name, value: duration(stages[stage]), title: `The document is ${known}` }),
        ),
        h(Fact, {
          name: "In the browser",
          value: duration(request.milliseconds),
          title: "From the request to the end of the answer",
        }),
        h(Fact, { name: "Size", value: size(request.bytes) }),
        explained.isOfGateway &&
          h(Fact, { name: "Requests", value: inRounds, title: "Requests to subgraphs, as planned" }),
        explained.isOfGateway
          ? statements.length > 0 &&
              h(Fact, {
                name: "Statements",
                value: `${statements.length}`,
                title: "Statements of databases in the gateway's process, as planned",
              })
          : h(Fact, { name: "Statements", value: inRounds }),
        h(Fact, {
          name: "Cost",
          value: `${explained.cost} ${unit}`.trim(),
          title: "As it is estimated before it runs, and limited by --max-cost",
        }),
      ),
      h(
        "section",
        { className: "thalweg-part" },
        h(
          "header",
          null,
          h("h3", null, words.whole),
          h(Copy, { text: asText(explained), label: "Copy everything" }),
        ),
        h("pre", null, explained.request.trimEnd()),
      ),
      fetches.map((fetch, index) => h(Fetch, { key: `fetch ${index}`, fetch, number: index + 1 })),
      statements.map((statement, index) =>
        h(Statement, { key: index, statement, number: index + 1 }),
      ),
      explained.planErrors &&
        h("p", { className: "thalweg-how" }, `No plan: ${explained.planErrors[0].message}`),
    );
  }

  // What became of the last request.
  function Panel() {
    const [request, setRequest] = React.useState(last.request);
    React.useEffect(() => {
      last.listeners.add(setRequest);
      return () => void last.listeners.delete(setRequest);
    }, []);
    return h(Plan, { request });
  }

  function Plan({ request }) {
    const [state, setState] = React.useState({ kind: "waiting" });
    React.useEffect(() => {
      if (!request) return undefined;
      const control = new AbortController();
      const { body, headers } = request;
      const accept = { ...headers, accept: "application/json" };
      fetch(explain, { method: "POST", body, headers: accept, signal: control.signal })
        .then((response) => response.json())
        .then((explained) =>
          setState(
            explained.errors
              ? { kind: "failed", message: explained.errors.map(({ message }) => message).join("\n") }
              : { kind: "explained", explained, request },
          ),
        )
        .catch((error) => {
          if (error.name !== "AbortError") setState({ kind: "failed", message: String(error) });
        });
      return () => control.abort();
    }, [request]);
    switch (state.kind) {
      case "explained":
        return h(Explained, state);
      case "failed":
        return h("pre", { className: "thalweg-failed" }, state.message);
      default:
        return h(
          "p",
          { className: "thalweg-how" },
          "Run a query: here is what became of it.",
        );
    }
  }

  const TABS = [
    ["response", "Response"],
    ["explain", "Explain"],
  ];

  // GraphiQL has one place beside the answer, and calls it the footer.
  function Tabs() {
    const [tab, setTab] = React.useState("response");
    const root = React.useRef(null);
    React.useEffect(() => {
      root.current.closest(".graphiql-response").dataset.tab = tab;
    }, [tab]);
    const turn = (event) => {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      setTab(tab === "response" ? "explain" : "response");
      root.current.querySelector("[aria-selected=false]").focus();
    };
    return h(
      React.Fragment,
      null,
      h(
        "div",
        { className: "thalweg-tabs", role: "tablist", ref: root, onKeyDown: turn },
        TABS.map(([name, label]) =>
          h(
            "button",
            {
              key: name,
              type: "button",
              role: "tab",
              id: `thalweg-tab-${name}`,
              "aria-selected": tab === name,
              tabIndex: tab === name ? 0 : -1,
              onClick: () => setTab(name),
            },
            label,
          ),
        ),
      ),
      tab === "explain" &&
        h(
          "div",
          {
            className: "thalweg-explain",
            role: "tabpanel",
            "aria-labelledby": "thalweg-tab-explain",
            tabIndex: 0,
          },
          h(Panel),
        ),
    );
  }

  // While the server watches its schemas: the errors of the last change, and the new schema after a
  // good one.
  function followReloads() {
    const address = new URL("graphiql/reloads", location.origin + location.pathname).href;
    const banner = document.createElement("pre");
    banner.className = "thalweg-reload";
    banner.setAttribute("role", "status");
    banner.hidden = true;
    document.body.prepend(banner);
    let known = null;
    const look = async () => {
      try {
        const { reloads, error } = await (await fetch(address)).json();
        const title = "The last change was not served:\n";
        const text = error ? title + error.replaceAll("\nerror: ", "\n") : "";
        if (banner.textContent !== text) banner.textContent = text;
        banner.hidden = !error;
        if (known !== null && known !== reloads) {
          dispatchEvent(new Event("thalweg-reloaded"));
          document.querySelector('.graphiql-sidebar button[aria-label^="Re-fetch"]')?.click();
        }
        known = reloads;
      } catch {
        // The server is away: the next look finds it again.
      }
      setTimeout(look, 1000);
    };
    look();
  }

  const page = h(
    GraphiQL,
    {
      fetcher,
      defaultQuery: configuration.defaultQuery,
      storage: GraphiQL.createLocalStorage({ namespace: `thalweg${location.pathname}` }),
      inputValueDeprecation: true,
      schemaDescription: true,
    },
    h(GraphiQL.Logo, null, h("span", { className: "thalweg-logo" }, "Thalweg")),
    configuration.explain && h(GraphiQL.Footer, null, h(Tabs)),
  );
  ReactDOM.createRoot(document.getElementById("graphiql")).render(page);

  // For the console.
  globalThis.thalweg = {
    requests,
    send(body) {
      const headers = { accept: "application/json", "content-type": "application/json" };
      return send(api, { method: "POST", headers: { ...headers, ...commonHeaders() }, body });
    },
    // Shows the plan of a request in an element, and returns what ends it.
    showPlan(element, request) {
      const root = ReactDOM.createRoot(element);
      root.render(h(Plan, { request }));
      return () => root.unmount();
    },
    listen(listener) {
      last.listeners.add(listener);
      return () => void last.listeners.delete(listener);
    },
    duration,
    headers: {
      pairs: () => commonPairs,
      areKept: () => keptPairs() !== null,
      // Returns false if they should be kept, and the browser does not keep them.
      set(pairs, keeps) {
        commonPairs = pairs;
        try {
          // Those before them are not kept in any case.
          sessionStorage.removeItem(KEPT_HEADERS);
          if (keeps) sessionStorage.setItem(KEPT_HEADERS, JSON.stringify(pairs));
          return true;
        } catch {
          return !keeps;
        }
      },
    },
  };
  if (configuration.followsReloads) followReloads();
})();
