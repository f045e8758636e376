/** docs/reference-architectures.md beside the program: its connections, retention, ports, metrics, and the SQL of its first steps. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Client } from "pg"
import { parseAllDocuments } from "yaml"
import { metricRoles } from "../../src/http/server/MetricRoles.ts"
import { settingInFile, settingNames } from "../../src/settings/SettingFiles.ts"
import { readSettings, settings } from "../../src/settings/Settings.ts"
import { defaultRetention } from "../../src/store/check/Retention.ts"
import { besidePool, choices } from "../bench/support/sizes.mjs"
import { newDatabase } from "../support/database/TestDatabase.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const document = read("docs/reference-architectures.md")

/** From a heading to the next one of its level. */
const section = (heading: string) => document.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ""
/** The rows of the tables of a section, without their heads. */
const rowsOf = (heading: string) =>
  [...section(heading).matchAll(/^\|(.*)\|$/gm)].map(([, cells = ""]) => cells.split("|").map((cell) => cell.trim()))
    .filter(([first = ""], index, all) => !first.startsWith("---") && !(all[index + 1]?.[0] ?? "").startsWith("---"))
const quoted = (text = "") => [...text.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
const numberIn = (text = "") => Number(/[\d,]+/.exec(text)?.[0].replaceAll(",", ""))

describe("the budget of connections", () => {
  it("is the pool of a process and what it opens beside it", () => {
    const rows = new Map(rowsOf("Connections").map(([process = "", ...cells]) => [process.split(" ")[0], cells.map(numberIn)]))
    const pool = choices.databasePool
    expect([rows.get("api"), rows.get("runner"), rows.get("probe")]).toEqual([
      [pool, besidePool.api, pool + besidePool.api],
      [pool, besidePool.runner, pool + besidePool.runner],
      [0, 0, 0]
    ])
  })
})

/** Where the program says how long it keeps the rows of a table, or how many of them. */
const kept: Readonly<Record<string, readonly [file: string, says: RegExp]>> = {
  deliveries: ["alert/Deliveries.ts", /retention = Duration\.days\((\d+)\)/],
  mails: ["mail/Mails.ts", /retention = Duration\.days\((\d+)\)/],
  broadcasts: ["subscriber/Broadcasts.ts", /retention = Duration\.days\((\d+)\)/],
  subscribers: ["subscriber/Subscribers.ts", /retention = Duration\.days\((\d+)\)/],
  alerted_channels: ["alert/AlertedChannels.ts", /retention = Duration\.days\((\d+)\)/],
  audit_log: ["access/AuditLog.ts", /keptFor = Duration\.days\((\d+)\)/],
  import_jobs: ["import/ImportJobs.ts", /kept = "(\d+) days"/],
  upstream_incidents: ["upstream/Upstreams.ts", /retention = Duration\.days\((\d+)\)/],
  sessions: ["../domain/people/SessionLifetime.ts", /sessionLifetime = Duration\.days\((\d+)\)/],
  api_keys: ["access/Keys.ts", /keptFor = Duration\.days\((\d+)\)/],
  probes: ["probe/Probes.ts", /keptDays = (\d+)/],
  idempotent_requests: ["access/IdempotentRequests.ts", /keptFor = Duration\.days\((\d+)\)/],
  rate_limits: ["access/RateLimits.ts", /"Old rate limits", "(\d+) day"/],
  check_rollups: ["check/CheckPartitions.ts", /rollupDays = (\d+)/],
  deploys: ["deploy/Deploys.ts", /mostKept = ([\d_]+)/],
  mutes: ["alert/Mutes.ts", /mostKept = ([\d_]+)/],
  postmortem_versions: ["incident/Postmortems.ts", /mostVersions = (\d+)/]
}
const { checksDays, historyDays } = defaultRetention
const bySetting: Readonly<Record<string, number>> = {
  check_blocks: checksDays,
  check_evidence: checksDays,
  job_runs: checksDays,
  job_logs: checksDays,
  checks_set_aside: checksDays + 1,
  check_days: historyDays,
  events: historyDays,
  monitor_spans: historyDays,
  component_spans: historyDays
}

const connected = (address: Redacted.Redacted) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ connectionString: Redacted.value(address) })
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )
const onMigrated = Effect.flatMap(newDatabase("migrated"), connected)

describe("the retention", () => {
  const rows = rowsOf("Retention").map(([tables, days, setting]) => ({ tables: quoted(tables), days, setting }))

  it("is what the program does, row by row", () => {
    expect(rows.length).toBeGreaterThan(20)
    for (const { days, tables } of rows) {
      for (const table of tables) {
        const [file, says] = kept[table] ?? []
        const found = file === undefined || says === undefined ? undefined : says.exec(read(`src/store/${file}`))?.[1]
        const expected = bySetting[table] ?? (file === undefined ? undefined : Number(found?.replaceAll("_", "")))
        if (expected !== undefined) expect([table, numberIn(days)]).toEqual([table, expected])
      }
    }
    const listed = rows.flatMap(({ tables }) => tables)
    expect([...Object.keys(kept), ...Object.keys(bySetting)].filter((table) => !listed.includes(table))).toEqual([])
  })

  it.effect("names settings that exist, where one decides", () =>
    Effect.gen(function*() {
      const names = yield* settingNames(settings)
      for (const { setting, tables } of rows) {
        for (const name of quoted(setting)) expect([tables, names.has(name)]).toEqual([tables, true])
        if (tables.some((table) => table in bySetting)) expect([tables, quoted(setting).length]).toEqual([tables, 1])
      }
    }))

  it.scopedLive("names tables of the database", () =>
    Effect.gen(function*() {
      const client = yield* onMigrated
      const { rows: found } = yield* Effect.promise(() =>
        client.query<{ readonly relname: string }>("select relname from pg_class where relkind in ('r', 'p')")
      )
      const there = new Set(found.map(({ relname }) => relname))
      expect(rows.flatMap(({ tables }) => tables).filter((table) => !there.has(table))).toEqual([])
    }))
})

describe("the ports", () => {
  const listening = rowsOf("Security by port").filter((cells) => cells.length === 5)
  const portsOf = (role: string) =>
    listening.filter(([who]) => who === role).map(([, port]) => numberIn(port)).sort((a, b) => a - b)

  it.effect("are the defaults of the settings", () =>
    Effect.gen(function*() {
      const { port, runnerPort } = yield* readSettings("all", {})
      expect([portsOf("api").includes(port), portsOf("runner").includes(runnerPort)]).toEqual([true, true])
    }))

  it("are those that the chart's policies let in, and no others", () => {
    const letIn = (role: string) =>
      parseAllDocuments(read("test/infra/helm/100000.yaml")).map((one): unknown => one.toJSON()).flatMap((one) => {
        const text = JSON.stringify(one)
        if (!text.includes("\"kind\":\"NetworkPolicy\"") || !text.includes(`"app.kubernetes.io/component":"${role}"`)) return []
        const [, ingress = ""] = /"ingress":(\[.*?\]),"egress"/.exec(text) ?? []
        return text.includes(`"name":"belltower-${role}"`)
          ? [...ingress.matchAll(/"port":(\d+)/g)].map(([, at]) => Number(at))
          : []
      }).sort((a, b) => a - b)
    for (const role of ["api", "runner", "probe"]) expect([role, portsOf(role)]).toEqual([role, letIn(role)])
  })
})

describe("what to watch", () => {
  it("is exported, by the roles that are named", () => {
    const rows = rowsOf("What to watch")
    expect(rows).toHaveLength(10)
    for (const [metrics, roles = ""] of rows) {
      for (const name of quoted(metrics)) {
        const of = metricRoles[name]
        expect([name, roles]).toEqual([name, of?.length === 3 ? "each" : of?.join(", ")])
      }
    }
  })

  it("names no metric that is not exported, in no section", () => {
    const names = [...document.matchAll(/`(belltower_\w+)`/g)].map(([, name = ""]) => name)
    expect(names.filter((name) => metricRoles[name] === undefined)).toEqual([])
  })
})

const incidents = section("First steps in ten incidents").split(/^### /m).slice(1)
const blocksOf = (text: string, language: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, block = ""]) => block)

describe("the first steps", () => {
  it("are there for ten incidents, each with commands and a runbook that exists", () => {
    expect(incidents).toHaveLength(10)
    for (const text of incidents) {
      const books = [...text.matchAll(/\]\((runbooks\/[\w-]+\.md)\)/g)].map(([, path = ""]) => path)
      expect([text.split("\n")[0], books.length > 0, books.every((path) => existsSync(join(root, "docs", path)))])
        .toEqual([text.split("\n")[0], true, true])
      expect(blocksOf(text, "sh").length + blocksOf(text, "sql").length).toBeGreaterThan(0)
    }
  })

  const sql = incidents.flatMap((text) => blocksOf(text, "sql")).join("").split(/;$/m).map((one) => one.trim())
    .filter((one) => one !== "")

  it.scopedLive("ask a database of this version in SQL that it answers, and change nothing", () =>
    Effect.gen(function*() {
      expect(sql.length).toBeGreaterThan(8)
      const client = yield* onMigrated
      yield* Effect.promise(async () => {
        await client.query("set default_transaction_read_only = on")
        for (const one of sql) await client.query(one).catch((error: unknown) => expect.fail(`${one}: ${String(error)}`))
      })
    }))

  it.scopedLive("change a table as the document says", () =>
    Effect.gen(function*() {
      const changes = quoted(document.replace(/^```[\s\S]*?^```$/gm, "")).filter((text) => text.startsWith("alter "))
      expect(changes).toHaveLength(1)
      const client = yield* onMigrated
      yield* Effect.promise(() => client.query(changes.join(";")))
    }))

  it.scopedLive("find the session that others wait for", () =>
    Effect.gen(function*() {
      const query = sql.find((one) => one.includes("pg_blocking_pids")) ?? ""
      const address = yield* newDatabase("migrated")
      const [blocker, waiter, operator] = yield* Effect.all([connected(address), connected(address), connected(address)])
      yield* Effect.promise(async () => {
        const { rows: [own] } = await blocker.query<{ readonly pid: number }>("select pg_backend_pid() as pid")
        await blocker.query("begin; lock table monitors")
        const waiting = waiter.query("select from monitors")
        const ask = () => operator.query<{ readonly blocker: number; readonly waiting: string }>(query).then(({ rows }) => rows)
        let found = await ask()
        while (!found.some((row) => row.blocker === own?.pid)) found = await ask()
        expect(found.find((row) => row.blocker === own?.pid)?.waiting).toBe("1")
        await blocker.query("rollback")
        await waiting
      })
    }), 20_000)

  it.effect("name only settings that exist", () =>
    Effect.gen(function*() {
      const names = yield* settingNames(settings)
      const named = [...document.matchAll(/\b(?:BELLTOWER|KAFKA|DATABASE)_[A-Z_]+\b/g)].map(([name]) => name)
      expect(named.filter((name) => !names.has(name) && settingInFile(name, names) === null)).toEqual([])
    }))
})
