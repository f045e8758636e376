// The import rules of ARCHITECTURE.md: the layers run one way.
const layers = {
  schema: [],
  loops: [],
  domain: ["schema"],
  links: ["schema", "domain"],
  store: ["schema", "domain", "loops"],
  bus: ["schema", "domain", "loops"],
  egress: ["schema", "domain", "loops"],
  probe: ["schema", "domain", "loops", "bus", "egress"],
  notify: ["schema", "domain", "loops", "links", "store", "egress"],
  external: ["schema", "domain", "loops", "store", "egress"]
}
const folder = (name) => (name === "schema" ? "^schema/" : name === "cluster" ? "^cluster/" : `^src/${name}/`)
const everything = [
  "schema",
  "loops",
  "domain",
  "store",
  "bus",
  "egress",
  "probe",
  "notify",
  "external",
  "cluster",
  "http",
  "mcp",
  "sse",
  "docs",
  "pages",
  "dashboard"
]

const layerRules = Object.entries(layers).map(([name, allowed]) => ({
  name: `${name}-imports-only-${allowed.join("-") || "nothing"}`,
  severity: "error",
  from: { path: folder(name) },
  to: { path: everything.filter((other) => other !== name && !allowed.includes(other)).map(folder) }
}))

module.exports = {
  forbidden: [
    ...layerRules,
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "cluster-knows-no-surface",
      severity: "error",
      from: { path: "^cluster/" },
      to: { path: ["^src/http/", "^src/mcp/", "^src/sse/", "^src/docs/", "^src/pages/", "^src/dashboard/", "^src/main"] }
    },
    {
      name: "surfaces-see-protocols-only",
      severity: "error",
      from: { path: ["^src/http/", "^src/mcp/", "^src/sse/", "^src/docs/", "^src/pages/", "^src/dashboard/"] },
      to: { path: "^cluster/.*Actor\\.ts$" }
    },
    {
      name: "kinds-do-not-import-siblings",
      severity: "error",
      from: { path: "^src/(probe/kinds|notify/channels|external/importers)/([^/]+)\\.ts$" },
      to: { path: "^src/$1/", pathNot: "^src/$1/$2\\.ts$" }
    },
    { name: "only-main-imports-main", severity: "error", from: { pathNot: "^src/main" }, to: { path: "^src/main\\.ts$" } }
  ],
  options: { tsConfig: { fileName: "tsconfig.json" }, tsPreCompilationDeps: true, doNotFollow: { path: "node_modules" } }
}
