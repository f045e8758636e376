// The import rules of ARCHITECTURE.md: the layers run one way.
const layers = {
  schema: [],
  "domain/tools": [],
  loops: ["domain/tools"],
  telemetry: ["domain/tools", "loops"],
  domain: ["schema", "domain/tools"],
  links: ["schema", "domain"],
  store: ["schema", "domain", "loops", "telemetry", "links"],
  bus: ["schema", "domain", "loops"],
  egress: ["schema", "domain", "loops"],
  probe: ["schema", "domain", "loops", "telemetry", "bus", "egress"],
  notify: ["schema", "domain", "loops", "telemetry", "links", "store", "egress"],
  external: ["schema", "domain", "loops", "egress"],
  client: ["schema", "domain"],
  services: ["schema", "domain", "loops", "links", "store", "bus", "egress", "notify", "external"]
}
const folders = { schema: "^schema/", cluster: "^cluster/", domain: "^src/domain/(?!tools/)" }
const folder = (name) => folders[name] ?? `^src/${name}/`
/** The tools are the part of the domain that knows no business, so whoever may import the domain may import them. */
const mayImport = (allowed, other) => allowed.includes(other) || (other === "domain/tools" && allowed.includes("domain"))
const everything = [
  "schema",
  "domain/tools",
  "loops",
  "telemetry",
  "domain",
  "links",
  "store",
  "bus",
  "egress",
  "probe",
  "notify",
  "external",
  "client",
  "services",
  "cluster",
  "operations",
  "http",
  "mcp",
  "sse",
  "docs",
  "pages",
  "dashboard"
]

/** The surfaces, each with those it may import: `http` carries the machinery that the others serve through. */
const surfaceOrder = [
  ["pages", []],
  ["http", ["pages"]],
  ["docs", ["http", "pages"]],
  ["sse", ["http"]],
  ["mcp", ["http", "docs"]],
  ["dashboard", ["http", "pages"]]
]
const surfaceNames = surfaceOrder.map(([name]) => name)
const surfaces = surfaceNames.map(folder)

const layerRules = Object.entries(layers).map(([name, allowed]) => ({
  name: `${name}-imports-only-${allowed.join("-") || "nothing"}`,
  severity: "error",
  from: { path: folder(name) },
  to: { path: everything.filter((other) => other !== name && !mayImport(allowed, other)).map(folder) }
}))

module.exports = {
  forbidden: [
    ...layerRules,
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "cluster-knows-no-operation-and-no-surface",
      severity: "error",
      from: { path: "^cluster/" },
      to: { path: ["^src/operations/", ...surfaces, "^src/main"] }
    },
    {
      name: "operations-know-no-surface",
      severity: "error",
      from: { path: "^src/operations/" },
      to: { path: [...surfaces, "^src/(main\\.ts$|commands/|deployment/)"] }
    },
    ...surfaceOrder.map(([name, allowed]) => ({
      name: `${name}-imports-only-the-surfaces-${allowed.join("-") || "of-its-own"}`,
      severity: "error",
      from: { path: folder(name) },
      to: { path: surfaceNames.filter((other) => other !== name && !allowed.includes(other)).map(folder) }
    })),
    {
      name: "operations-know-no-http",
      severity: "error",
      from: { path: "^src/operations/" },
      to: { path: "node_modules/@effect/platform" }
    },
    {
      name: "surfaces-see-no-store",
      severity: "error",
      from: { path: surfaces },
      to: { path: "^src/store/" }
    },
    {
      name: "surfaces-and-operations-see-protocols-only",
      severity: "error",
      from: { path: [...surfaces, "^src/operations/"] },
      to: { path: "^cluster/", pathNot: "Protocol\\.ts$" }
    },
    {
      name: "kinds-do-not-import-siblings",
      severity: "error",
      from: {
        path:
          "^(schema/monitor/kinds|src/(?:domain/monitor/kinds|probe/kinds|notify/alert/channels|external/importers))/([^/]+)\\.ts$"
      },
      to: { path: "^$1/", pathNot: "^$1/$2\\.ts$" }
    },
    {
      // The browser loads them: what they import must be small and need no server.
      name: "islands-import-only-what-browsers-share",
      severity: "error",
      from: { path: "^src/dashboard/(chart|islands)/" },
      to: {
        path: "^(src|schema|cluster)/",
        pathNot: [
          "^src/dashboard/(chart/|islands/|Theme\\.ts$|design/(Formats|SpanText)\\.ts$|frame/(FormBody|Sections|Snippets)\\.ts$|views/page/ContrastTable\\.tsx$)",
          // How texts and times are written.
          "^src/(pages/html/TextMarkup|domain/incident/LineDifference|domain/tools/(text/(Counted|Direction)|time/(KeptFormats|Moments|SpokenDuration|ZoneOffset)))\\.ts$",
          // The preview of a page has the page's own style.
          "^src/(pages/style/|domain/page/(Contrast|Presets|Theme|ThemeColors)\\.ts$)",
          "^schema/page/Page\\.ts$"
        ]
      }
    },
    {
      name: "only-browsers-load-islands",
      severity: "error",
      from: { path: "^(src|schema|cluster)/", pathNot: "^src/dashboard/islands/" },
      to: { path: "^src/dashboard/islands/" }
    },
    { name: "only-main-imports-main", severity: "error", from: { pathNot: "^src/main" }, to: { path: "^src/main\\.ts$" } }
  ],
  options: { tsConfig: { fileName: "tsconfig.json" }, tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } }
}
