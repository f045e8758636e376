/** The sizing model beside what it speaks for: the chart, the documents, and the limits and settings of the program. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { defaultResultsHours } from "../../src/bus/kafka/TopicPlans.ts"
import { besidePool as mostBesidePool } from "../../src/domain/health/DatabaseDiagnosis.ts"
import { shardCount } from "../../src/domain/tools/Shard.ts"
import { readSettings } from "../../src/settings/Settings.ts"
import { defaultRetention } from "../../src/store/check/Retention.ts"
import { besidePool, choices, type Pod, references, type Size, sizeOf, walls } from "../bench/support/sizes.mjs"
import { podsOf, tableOf } from "../bench/support/sizeTable.mjs"
import { pathOf, renders, resourcesOf, type Workload, workloadsOf } from "./Manifests.ts"

const root = join(import.meta.dirname, "../..")
const read = (path: string) => readFileSync(join(root, path), "utf8")
const sizing = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [join(root, "test/bench/sizing.mjs"), ...args], { encoding: "utf8" })

const sizes = references.map((load) => sizeOf(load))
const each = sizes.map((size) => [size.monitors, size] as const)

const milli = (cpu = "") => cpu.endsWith("m") ? Number.parseInt(cpu, 10) : 1000 * Number(cpu)
const mebi = (memory = "") => Number.parseInt(memory, 10) * (memory.endsWith("Gi") ? 1024 : 1)

/** What a pod of the chart asks for; its memory is bounded by what it asks for. */
const podOf = ({ container: { resources: { limits, requests } } }: Workload): Pod & { readonly limitMi: number } => ({
  requestM: milli(requests.cpu),
  memoryMi: mebi(requests.memory),
  limitMi: mebi(limits.memory)
})
const podIn = ({ memoryMi, requestM }: Pod) => ({ requestM, memoryMi, limitMi: memoryMi })

const chartOf = (monitors: number) => {
  const render = renders.find((name) => name === String(monitors)) ?? "everything"
  const resources = resourcesOf(pathOf(render))
  const workloads = workloadsOf(resources)
  const of = (role: string) => workloads.filter(({ container }) => container.args[0] === role)
  /** The least and the most pods of a deployment. */
  const range = ({ resource }: Workload) => {
    const scaler = resources.find(({ spec }) => spec.scaleTargetRef?.name === resource.metadata.name)?.spec
    return [scaler?.minReplicas ?? resource.spec.replicas, scaler?.maxReplicas ?? resource.spec.replicas]
  }
  const pods = (role: string) => of(role).map((one) => [...range(one), podOf(one)])
  const claims = resources.flatMap(({ spec }) => spec.volumeClaimTemplates ?? [])
  return { pods, volumes: claims.map(({ spec }) => spec.resources.requests.storage), workloads }
}

const expected = ({ apis, probes, regions = 1, runners, single }: Size) => {
  if (single !== null) return { all: [[1, 1, podIn(single)]], api: [], runner: [], probe: [] }
  const probe = [probes.count, probes.count, podIn(probes)]
  return {
    all: [],
    api: [[apis.least, apis.most, podIn(apis)]],
    runner: [[runners.least, runners.most, podIn(runners)]],
    probe: Array.from({ length: regions }, () => probe)
  }
}

describe("the sizing model", () => {
  it.each(each)("has the chart's size of %i monitors", (monitors, size) => {
    const { pods, volumes } = chartOf(monitors)
    expect({ all: pods("all"), api: pods("api"), runner: pods("runner"), probe: pods("probe") }).toEqual(expected(size))
    expect(volumes).toEqual(size.single === null ? [] : [`${size.single.volumeGi}Gi`])
    expect(read("infra/helm/belltower/README.md")).toContain(
      `\`sizes/${monitors}.yaml\`${monitors === 10_000 ? ", the defaults" : ""} | ${podsOf(size)} |`
    )
    if (size.apis.most > size.apis.least) {
      expect(read(`infra/helm/belltower/sizes/${monitors}.yaml`).replaceAll("\n# ", " ")).toContain(
        `max_connections of ${size.connections.max}`
      )
    }
  })

  it("bounds heaps as the chart does", () => {
    const shares = sizes.flatMap(({ monitors }) => chartOf(monitors).workloads).flatMap(({ container }) => {
      const options = container.env.flatMap((one) => one.name === "NODE_OPTIONS" && "value" in one ? one.value : [])
      const heapMi = Number(/=(\d+)/.exec(options.join())?.[1])
      const [role = ""] = container.args
      const share = { all: choices.heapShare.single, runner: choices.heapShare.runner, probe: choices.heapShare.probe }[role]
      return share === undefined ? [] : [[role, heapMi, Math.floor(mebi(container.resources.limits.memory) * share)]]
    })
    expect(shares.length).toBeGreaterThan(6)
    for (const [role, heapMi, share] of shares) expect([role, heapMi]).toEqual([role, share])
  })

  it.effect("takes its limits and settings from the program", () =>
    Effect.gen(function*() {
      const { databasePool, kafka } = yield* readSettings("all", {})
      expect([choices.databasePool, walls["probes"]?.most]).toEqual([databasePool, kafka.partitions])
      expect([walls["runners"]?.most, besidePool.runner]).toEqual([shardCount, mostBesidePool])
      const byDefault = sizeOf({ monitors: 5000 })
      const { checksDays } = defaultRetention
      expect(byDefault).toEqual(sizeOf({ monitors: 5000, keepChecksDays: checksDays, resultsHours: defaultResultsHours }))
    }))

  it("needs more for more: no size of a larger load is smaller", () => {
    const loads = [20, 60, 300].flatMap((intervalSec) => [1, 3, 6].map((regions) => ({ intervalSec, regions })))
    for (const load of loads) {
      const grown = [500, 5000, 50_000, 500_000, 5_000_000].map((monitors) => sizeOf({ monitors, ...load }))
      for (const [index, { apis, connections, postgres, probes, runners }] of grown.entries()) {
        const before = grown[index - 1]
        if (before === undefined) continue
        expect(apis.least).toBeGreaterThanOrEqual(before.apis.least)
        expect(runners.least).toBeGreaterThanOrEqual(before.runners.least)
        expect(probes.count).toBeGreaterThanOrEqual(before.probes.count)
        expect(connections.max).toBeGreaterThanOrEqual(before.connections.max)
        expect(postgres.growthBytes).toBeGreaterThan(before.postgres.growthBytes)
      }
    }
  })

  it("says that a load is beyond a wall, and refuses numbers that are none", () => {
    const beyond = sizing("--monitors", "1000000", "--interval", "10", "--regions", "6")
    expect([beyond.status, beyond.stdout]).toEqual([0, expect.stringContaining("passed: this load does not fit")])
    expect(JSON.parse(sizing("--monitors", "100000", "--regions", "3", "--json").stdout)).toEqual(
      JSON.parse(JSON.stringify(sizeOf({ monitors: 100_000, regions: 3 })))
    )
    const refused = sizing("--monitors", "many")
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/^--monitors must be a whole number from 1 to/)])
  })
})

describe("docs/reference-architectures.md", () => {
  const document = read("docs/reference-architectures.md")

  it.each(each)("has the model's table of %i monitors; node test/bench/sizing.mjs --references prints it", (_, size) => {
    expect(document).toContain(`\n${tableOf(size)}\n`)
  })

  it("asks the model for other loads as one can", () => {
    const lines = document.match(/^node test\/bench\/sizing\.mjs .*$/gm) ?? []
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(sizing(...line.split(" ").slice(2))).toMatchObject({ status: 0, stderr: "" })
  })

  it("has no other tables of sizes", () => {
    expect(document.match(/^\| [\d,]+ monitors every/gm)).toHaveLength(sizes.length)
    const printed = execFileSync(process.execPath, [join(root, "test/bench/sizing.mjs"), "--references"], { encoding: "utf8" })
    expect(printed.trim()).toBe(sizes.map(tableOf).join("\n\n"))
  })
})
