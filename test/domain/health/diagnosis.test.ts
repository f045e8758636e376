/** Findings of the doctor about what it sees: each fault is named with what to do, and what is well is said in one line. */
import { describe, expect, it } from "@effect/vitest"
import { clockSeen } from "../../../src/domain/health/ClockDiagnosis.ts"
import {
  connectionsSeen,
  type DatabaseFacts,
  durabilitySeen,
  rightsSeen,
  slotsSeen,
  upkeepSeen
} from "../../../src/domain/health/DatabaseDiagnosis.ts"
import {
  diagnosisLines,
  doctorCode,
  failed,
  fine,
  secretTexts,
  skipped,
  warning,
  withoutSecrets
} from "../../../src/domain/health/Diagnosis.ts"
import { accessSeen, retentionSeen, type SeenTopic, topicsSeen } from "../../../src/domain/health/KafkaDiagnosis.ts"
import { diskSeen, filesLimitIn, filesSeen } from "../../../src/domain/health/MachineDiagnosis.ts"

const well: DatabaseFacts = {
  connections: 97,
  taken: 20,
  ours: 12,
  userLimit: -1,
  databaseLimit: -1,
  schema: "public",
  mayCreate: true,
  lockedTables: 0,
  synchronousCommit: "on",
  fsync: "on",
  fullPageWrites: "on",
  autovacuum: "on",
  freezeAge: 1_000,
  oldestTransactionSec: 3,
  standbys: 0,
  synchronousStandbys: ""
}

const gigabyte = 2 ** 30
const states = (seen: ReadonlyArray<{ readonly state: string }>) => seen.map(({ state }) => state)
const textOf = (seen: ReadonlyArray<{ readonly found: string }>) => seen.map(({ found }) => found).join("; ")

describe("a database", () => {
  it("is well with the settings of a fresh server", () => {
    expect(states([rightsSeen(well), connectionsSeen(well, 10), durabilitySeen(well), upkeepSeen(well), slotsSeen([])].flat()))
      .toEqual(["ok", "ok", "ok", "ok", "ok"])
  })

  it.each(
    [
      ["rights", rightsSeen({ ...well, mayCreate: false }), "failed", "may not create tables in the schema public"],
      ["schema", rightsSeen({ ...well, schema: null }), "failed", "No schema"],
      ["foreign tables", rightsSeen({ ...well, lockedTables: 80 }), "failed", "read and write: 80"],
      ["fsync", durabilitySeen({ ...well, fsync: "off" }), "failed", "fsync is off"],
      ["synchronous_commit", durabilitySeen({ ...well, synchronousCommit: "off" }), "warning", "synchronous_commit is off"],
      ["no standby", durabilitySeen({ ...well, synchronousStandbys: "two" }), "failed", "Commits wait for a standby (two)"],
      ["autovacuum", upkeepSeen({ ...well, autovacuum: "off" }), "failed", "autovacuum is off"],
      ["wraparound", upkeepSeen({ ...well, freezeAge: 1_500_000_000 }), "failed", "1500 million"],
      ["old transaction", upkeepSeen({ ...well, oldestTransactionSec: 7_200 }), "warning", "120 minutes"],
      ["small server", connectionsSeen({ ...well, connections: 10, taken: 1 }, 10), "failed", "1 of 10 connections"],
      ["limited user", connectionsSeen({ ...well, userLimit: 8 }, 10), "failed", "20 of 8 connections"],
      ["foreign load", connectionsSeen({ ...well, taken: 95, ours: 0 }, 10), "failed", "95 of 97"],
      ["own load", connectionsSeen({ ...well, taken: 95 }, 10), "warning", "95 of 97"],
      ["slot", slotsSeen([{ name: "gone", isActive: false, walStatus: "extended", bytes: 5 * gigabyte }]), "warning", "5.0 GB"],
      ["lost slot", slotsSeen([{ name: "gone", isActive: false, walStatus: "lost", bytes: 0 }]), "warning", "lost its log"]
    ] as const
  )("names the fault: %s", (_, seen, state, text) => {
    expect(states(seen)).toEqual([state])
    expect(textOf(seen)).toContain(text)
    expect(seen.every(({ advice }) => advice !== null)).toBe(true)
  })
})

const topic = (name: string, more: Partial<SeenTopic> = {}): SeenTopic => ({
  topic: name,
  presence: "there",
  partitions: Array.from({ length: 64 }, () => ({ leader: 1, replicas: 3, inSync: 3 })),
  mayRead: true,
  mayWrite: true,
  ...more
})
const wanted = [{ topic: "results", partitions: 64, isExact: true, reads: true, writes: true }]

describe("kafka", () => {
  it("is well with all topics and rights", () => {
    expect(states(topicsSeen({ brokers: 3, topics: [topic("results")] }, wanted, true))).toEqual(["ok"])
    expect(states(accessSeen([topic("results")], wanted))).toEqual(["ok"])
  })

  it.each(
    [
      ["missing, a server makes it", topic("results", { presence: "missing" }), true, "warning", "is missing"],
      ["missing, nobody makes it", topic("results", { presence: "missing" }), false, "failed", "is missing"],
      ["hidden", topic("results", { presence: "hidden" }), true, "failed", "may not see"],
      [
        "too few partitions",
        topic("results", { partitions: [{ leader: 1, replicas: 3, inSync: 3 }] }),
        true,
        "failed",
        "1 of 64 partitions"
      ],
      [
        "no leader",
        topic("results", { partitions: Array.from({ length: 64 }, () => ({ leader: -1, replicas: 3, inSync: 0 })) }),
        true,
        "failed",
        "without a leader: 64"
      ],
      [
        "a broker away",
        topic("results", { partitions: Array.from({ length: 64 }, () => ({ leader: 1, replicas: 3, inSync: 2 })) }),
        true,
        "warning",
        "lags behind: 64"
      ],
      [
        "one copy",
        topic("results", { partitions: Array.from({ length: 64 }, () => ({ leader: 1, replicas: 1, inSync: 1 })) }),
        true,
        "warning",
        "one of 3 brokers"
      ]
    ] as const
  )("names the fault of a topic: %s", (_, seen, makes, state, text) => {
    const found = topicsSeen({ brokers: 3, topics: [seen] }, wanted, makes)
    expect(states(found)).toEqual([state])
    expect(textOf(found)).toContain(text)
  })

  it("names rights that lack, and settings that lose messages", () => {
    const found = accessSeen([topic("results", { mayRead: false, mayWrite: false })], wanted)
    expect(textOf(found)).toBe("This user may not read results; This user may not write to results")
    const plan = { "cleanup.policy": "delete", "retention.ms": "86400000" }
    expect(states(retentionSeen("results", plan, { "cleanup.policy": "delete", "retention.ms": "600000" }))).toEqual(["warning"])
    expect(states(retentionSeen("results", plan, { "cleanup.policy": "compact", "retention.ms": "-1" }))).toEqual(["failed"])
    expect(retentionSeen("results", plan, { "cleanup.policy": "delete", "retention.ms": "-1" })).toEqual([])
  })
})

describe("a machine", () => {
  it("has its clock compared, but for what the comparison cannot tell", () => {
    expect(
      [clockSeen("x", 900, 10), clockSeen("x", -5_000, 4_500), clockSeen("x", -5_000, 50), clockSeen("x", 4e6, 50)].map((
        { state }
      ) => state)
    )
      .toEqual(["ok", "ok", "warning", "failed"])
    expect(clockSeen("the database's", -90_000, 5).found).toBe("This machine's clock is 90 s behind the database's (± 5 ms)")
  })

  it("has its disk and open files judged", () => {
    const space = { freeBytes: 50 * gigabyte, allBytes: 100 * gigabyte, freeFiles: 900, allFiles: 1000 }
    expect([
      diskSeen("/d", space),
      diskSeen("/d", { ...space, freeBytes: gigabyte / 2 }),
      diskSeen("/d", { ...space, freeBytes: 1000 }),
      diskSeen("/d", { ...space, freeFiles: 0 }),
      diskSeen("/d", { ...space, freeFiles: 0, allFiles: 0 })
    ].map(({ state }) => state)).toEqual(["ok", "warning", "failed", "failed", "ok"])
    expect([filesLimitIn("Max open files            1024                 524288               files     \n"), filesLimitIn("")])
      .toEqual([524_288, null])
    expect([filesSeen(1024, 100).state, filesSeen(524_288, 8000).state, filesSeen(Infinity, 1e9).state]).toEqual([
      "warning",
      "ok",
      "ok"
    ])
  })
})

describe("the report", () => {
  it("ends with 0 if all is well, 1 if something failed, 2 for warnings alone", () => {
    const of = (...all: ReadonlyArray<ReturnType<typeof fine>>) => doctorCode(all.map((one) => ({ ...one, check: "c" })))
    expect([of(), of(fine("a"), skipped("b")), of(warning("a", "b")), of(warning("a", "b"), failed("a", "b"))]).toEqual([
      0,
      0,
      2,
      1
    ])
  })

  it("has a line for each finding, its advice and the sum", () => {
    const lines = diagnosisLines([{ check: "mail", ...failed("a", "b") }, { check: "dns", ...fine("c") }])
    expect(lines).toEqual([
      "failed   mail  a",
      "               -> b",
      "ok       dns   c",
      "",
      "Failed: 1, warnings: 0, ok: 1, skipped: 0"
    ])
  })

  it("shows no secret, also not the password inside a URL as it was meant", () => {
    const secrets = secretTexts([
      "postgres://bell:p%40ss%2Fword@db/x",
      "hunter22hunter22",
      "abc",
      "postgres://bell:%ff%zz-raw@db/x"
    ])
    const said = withoutSecrets("refused p@ss/word and p%40ss%2Fword\nand hunter22hunter22, %ff%zz-raw", secrets, "(hidden)")
    expect(said).toBe("refused (hidden) and (hidden) and (hidden), (hidden)")
  })
})
