/** The alerts, their runbooks and the dashboards: what they ask for is exported, Prometheus reads it, and each alert has its page. */
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Schema } from "effect"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parse, stringify } from "yaml"
import { files } from "../../infra/grafana/dashboards.mjs"
import { canRunPromtool, promtool } from "../support/services/Promtool.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")

const Rules = Schema.Struct({
  groups: Schema.Array(Schema.Struct({
    name: Schema.String,
    rules: Schema.Array(Schema.Struct({
      alert: Schema.String.pipe(Schema.pattern(/^Belltower[A-Z][A-Za-z]+$/)),
      expr: Schema.String,
      for: Schema.optional(Schema.String.pipe(Schema.pattern(/^\d+[mh]$/))),
      labels: Schema.Struct({ severity: Schema.Literal("critical", "warning") }),
      annotations: Schema.Struct({
        summary: Schema.String,
        runbook_url: Schema.String.pipe(Schema.pattern(/^docs\/runbooks\/[a-z-]+\.md$/))
      })
    }))
  }))
})
const alerts = Schema.decodeUnknownSync(Rules, { onExcessProperty: "error" })(parse(read("infra/prometheus/rules.yaml")))
  .groups.flatMap(({ rules }) => rules)

const Source = Schema.Struct({ type: Schema.Literal("prometheus"), uid: Schema.Literal("${datasource}") })
const Panel = Schema.Struct({
  id: Schema.Int,
  type: Schema.Literal("stat", "timeseries"),
  title: Schema.NonEmptyString,
  description: Schema.String,
  datasource: Source,
  gridPos: Schema.Struct({ h: Schema.Int, w: Schema.Int, x: Schema.Int, y: Schema.Int }),
  targets: Schema.NonEmptyArray(Schema.Struct({
    refId: Schema.String.pipe(Schema.pattern(/^[A-Z]$/)),
    datasource: Source,
    editorMode: Schema.Literal("code"),
    expr: Schema.NonEmptyString,
    legendFormat: Schema.NonEmptyString,
    instant: Schema.Boolean,
    range: Schema.Boolean
  })),
  fieldConfig: Schema.Struct({ defaults: Schema.Object, overrides: Schema.Tuple() }),
  options: Schema.Object
})
/** The fields of Grafana's dashboard model (schema version 39, Grafana 11) that these dashboards use. */
const Dashboard = Schema.Struct({
  uid: Schema.String.pipe(Schema.pattern(/^[a-z-]{1,40}$/)),
  title: Schema.NonEmptyString,
  description: Schema.NonEmptyString,
  tags: Schema.Tuple(Schema.Literal("belltower")),
  schemaVersion: Schema.Literal(39),
  version: Schema.Int,
  editable: Schema.Boolean,
  graphTooltip: Schema.Literal(0, 1, 2),
  timezone: Schema.String,
  refresh: Schema.String,
  time: Schema.Struct({ from: Schema.String, to: Schema.String }),
  annotations: Schema.Struct({ list: Schema.Tuple() }),
  links: Schema.Array(Schema.Object),
  templating: Schema.Struct({
    list: Schema.Array(Schema.Struct({ name: Schema.String }, { key: Schema.String, value: Schema.Unknown }))
  }),
  panels: Schema.NonEmptyArray(Panel)
})
const names = ["overview", "runner", "probes", "deliveries", "database", "tenants"]
const dashboards = names.map((name) =>
  Schema.decodeUnknownSync(Dashboard, { onExcessProperty: "error" })(JSON.parse(read(`infra/grafana/${name}.json`)))
)

describe("the alerts", () => {
  it("each have a runbook, and each runbook has its alert", () => {
    const pages = readdirSync(join(root, "docs/runbooks")).filter((name) => name !== "README.md").map((name) =>
      `docs/runbooks/${name}`
    )
    expect(alerts.map(({ annotations }) => annotations.runbook_url).sort()).toEqual(pages.sort())
    for (const { alert, annotations, labels } of alerts) {
      const text = read(annotations.runbook_url)
      expect(text).toMatch(new RegExp(`^# ${alert}: `))
      expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
        "What it means for users",
        "How to see it",
        "What to do first",
        "How to know that it is over"
      ])
      const file = annotations.runbook_url.replace("docs/runbooks/", "")
      expect(read("docs/runbooks/README.md")).toMatch(
        new RegExp(`^\\| ${alert} \\| ${labels.severity} \\| \\[.+\\]\\(${file}\\) \\|$`, "m")
      )
    }
  })
})

describe("the dashboards", () => {
  it("are what their source says; run node infra/grafana/dashboards.mjs after a change", () => {
    expect([...files.keys()]).toEqual(names.map((name) => `infra/grafana/${name}.json`))
    for (const [path, text] of files) expect(read(path), path).toBe(text)
  })

  it("have ids of their own, one variable for the data source, and panels that fill rows without a gap", () => {
    expect(new Set(dashboards.map(({ uid }) => uid)).size).toBe(names.length)
    for (const { panels, templating, title } of dashboards) {
      expect(templating.list.filter(({ type }) => type === "datasource").map(({ name }) => name), title).toEqual(["datasource"])
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
      const used = new Set(
        panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => [...expr.matchAll(/\$([a-z]+)/g)].map(([, name]) => name)))
      )
      for (const name of used) expect(templating.list.map((one) => one.name), title).toContain(name)
      for (const row of Object.values(Arr.groupBy(panels, ({ gridPos }) => String(gridPos.y)))) {
        let x = 0
        for (const { gridPos } of row) {
          expect(gridPos.x).toBe(x)
          x += gridPos.w
        }
        expect(x, title).toBeGreaterThan(19)
        expect(x, title).toBeLessThan(25)
      }
    }
  })

  it("show the 50th, 95th and 99th percentile where there are histograms", () => {
    const [overview, , probes, deliveries] = dashboards
    for (const one of [overview, probes, deliveries]) {
      const legends = one?.panels.flatMap(({ targets }) => targets.map(({ legendFormat }) => legendFormat))
      expect(legends).toEqual(expect.arrayContaining(["p50", "p95", "p99"]))
    }
  })
})

/** An expression as Prometheus sees it, when Grafana has filled in its variables. */
const filledIn = (expr: string) => expr.replaceAll("$__rate_interval", "5m").replace(/\$[a-z]+/g, ".*")

describe.runIf(canRunPromtool())("Prometheus", () => {
  it("reads the rules, and their tests pass", () => {
    expect(promtool(["check", "rules", join(root, "infra/prometheus/rules.yaml")])).toMatchObject({ status: 0 })
    const { output, status } = promtool(["test", "rules", join(root, "infra/prometheus/rules.test.yaml")])
    expect(output).toContain("SUCCESS")
    expect(status).toBe(0)
  }, 30_000)

  it("reads each expression of the dashboards", () => {
    const expressions = dashboards.flatMap(({ panels }) =>
      panels.flatMap(({ targets }) => targets.map(({ expr }) => filledIn(expr)))
    )
    expect(expressions.length).toBeGreaterThan(100)
    const folder = mkdtempSync(join(tmpdir(), "belltower-rules-"))
    const check = (all: ReadonlyArray<string>) => {
      const rules = all.map((expr, index) => ({ record: `panel:number:${index}`, expr }))
      writeFileSync(join(folder, "rules.yaml"), stringify({ groups: [{ name: "dashboards", rules }] }))
      return promtool(["check", "rules", "--lint=none", join(folder, "rules.yaml")])
    }
    expect(check(expressions)).toMatchObject({ status: 0 })
    expect(check([...expressions, "sum by (region) (rate(belltower_checks_total)"])).toMatchObject({ status: 1 })
    rmSync(folder, { recursive: true })
  }, 30_000)
})
