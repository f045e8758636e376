/** Every field and limit of the specification's tables for Alerts, On-call, Deploys and the Digest, at its edge and one step beyond. */
import { describe, expect, it } from "@effect/vitest"
import { Either, Option, Schema } from "effect"
import { ChannelInput, ChannelUpdate } from "../../schema/alert/Channel.ts"
import { DeployInput } from "../../schema/deploy/Deploy.ts"
import { DigestPreviewInput, DigestSettingsUpdate } from "../../schema/digest/Digest.ts"
import { PolicyInput, PolicyUpdate } from "../../schema/oncall/Policy.ts"
import { OverrideInput, ScheduleInput, ScheduleUpdate } from "../../schema/oncall/Schedule.ts"
import { operations } from "../../src/http/openapi/Operations.ts"

const text = (length: number) => "x".repeat(length)
const many = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))
const id = (prefix: string) => (index: number) => `${prefix}_${String(index).padStart(26, "0")}`
const at = "2026-11-20T08:00:00.000Z"

const target = { type: "channel", id: id("ch")(1) }
const level = { afterMinutes: 0, targets: [target] }
const levels = (more: object) => [{ ...level, ...more }]

/** A field, values that it accepts at its limits, and values just beyond them. */
type Limits = ReadonlyArray<readonly [field: string, within: ReadonlyArray<unknown>, beyond: ReadonlyArray<unknown>]>

interface Table {
  readonly name: string
  /** Takes the input, and the update if there is one. */
  readonly accepts: ReadonlyArray<(input: unknown) => boolean>
  /** The required fields. */
  readonly required: Readonly<Record<string, unknown>>
  readonly limits: Limits
}

const by = <A, I>(schema: Schema.Schema<A, I>) => (input: unknown) =>
  Either.isRight(Schema.decodeUnknownEither(schema)(input, { onExcessProperty: "error" }))

const tables: ReadonlyArray<Table> = [
  {
    name: "an alert channel",
    accepts: [by(ChannelInput), by(ChannelUpdate)],
    required: { name: "Ops", type: "webhook" },
    limits: [
      ["name", ["x", text(80)], ["", text(81), null]],
      ["type", ["email", "webhook", "slack", "discord", "telegram"], ["sms", "Email", null]],
      ["emails", [many(20, (index) => `a${index}@example.com`)], [many(21, (index) => `a${index}@example.com`), ["nobody"]]],
      ["url", [`https://a.test/${text(985)}`], [`https://a.test/${text(986)}`, "ftp://a.test/", "a.test"]],
      ["headers", [{ "x-a": "b" }, {}], [{ "x-a": 1 }, "x-a: b"]],
      ["botToken", [text(200)], [text(201)]],
      ["chatId", [text(100)], [text(101)]],
      ["events", [many(30, () => "monitor.down"), ["*"], ["component.*"], null, []], [many(31, () => "*"), ["monitor.gone"]]],
      ["isDefault", [true, false], ["yes", 1]],
      ["enabled", [true, false], ["yes", 1]]
    ]
  },
  {
    name: "the update of an alert channel",
    accepts: [by(ChannelUpdate)],
    required: {},
    limits: [["rotateSecret", [true, false], ["yes"]]]
  },
  {
    name: "an on-call schedule",
    accepts: [by(ScheduleInput), by(ScheduleUpdate)],
    required: {
      name: "Platform",
      timezone: "Europe/Athens",
      handoffDay: 0,
      handoffTime: "09:00",
      participants: [id("usr")(1)]
    },
    limits: [
      ["name", ["x", text(80)], ["", text(81)]],
      ["timezone", ["UTC", "America/Argentina/ComodRivadavia"], ["Europe/Nowhere", "+02:00", text(65)]],
      ["handoffDay", [0, 6], [-1, 7, 1.5]],
      ["handoffTime", ["9:00", "09:00", "23:59", "0:00"], ["24:00", "9", "09:60", "09:00:00"]],
      ["participants", [many(50, id("usr"))], [many(51, id("usr")), []]],
      ["startDay", ["2026-11-16", "2024-02-29"], ["2026-02-29", "16.11.2026", "2026-11-16T00:00:00Z"]]
    ]
  },
  {
    name: "an on-call override",
    accepts: [by(OverrideInput)],
    required: { userId: id("usr")(1), start: at, end: "2026-11-20T10:00:00+02:00" },
    limits: [
      ["userId", [id("usr")(2)], [null, 1]],
      ["start", [at, "2026-11-20T08:00:00+02:00"], ["2026-11-20", "tomorrow", 0]],
      ["end", [at], ["2026-11-20T08:00:00"]],
      ["note", ["", text(200)], [text(201)]]
    ]
  },
  {
    name: "an escalation policy",
    accepts: [by(PolicyInput), by(PolicyUpdate)],
    required: { name: "Platform", levels: [level] },
    limits: [
      ["name", ["x", text(80)], ["", text(81)]],
      ["isDefault", [true, false], ["yes"]],
      ["monitorIds", [many(250, id("mon")), []], [many(251, id("mon"))]],
      ["pageIds", [many(20, id("pg")), ["acme"], []], [many(21, id("pg"))]],
      ["levels", [many(10, () => level)], [many(11, () => level), [{ targets: [target] }], [{ afterMinutes: 0 }]]],
      ["levels", [levels({ afterMinutes: 0 }), levels({ afterMinutes: 1440 })], [levels({ afterMinutes: 1441 })]],
      ["levels", [levels({ targets: many(20, () => target) })], [levels({ targets: many(21, () => target) })]],
      [
        "levels",
        [
          levels({ targets: [{ type: "schedule", id: id("sch")(1) }] }),
          levels({ targets: [{ type: "user", id: id("usr")(1) }] })
        ],
        [levels({ targets: [{ type: "team", id: "x" }] }), levels({ targets: [{ type: "channel" }] })]
      ],
      ["repeat", [0, 5], [-1, 6]],
      ["repeatAfterMinutes", [1, 1440], [0, 1441]]
    ]
  },
  {
    name: "a deploy",
    accepts: [by(DeployInput)],
    required: {},
    limits: [
      ["version", [text(100)], [text(101)]],
      ["commit", [text(80)], [text(81)]],
      ["url", [`https://a.test/${text(1985)}`], [`https://a.test/${text(1986)}`, "a.test"]],
      ["environment", [text(40)], [text(41)]],
      ["description", [text(2000)], [text(2001)]],
      ["service", [text(120)], [text(121)]],
      ["monitorIds", [many(100, id("mon"))], [many(101, id("mon"))]],
      ["monitorId", [id("mon")(1), text(60)], [text(61)]],
      ["pageId", ["acme", text(60)], [text(61)]],
      ["pageIds", [many(100, id("pg")), ["acme"]], [many(101, id("pg"))]],
      ["at", [at, "2026-11-20T08:00:00+02:00", "2026-11-20T08:00:00-0930"], ["2026-11-20T08:00:00", "now"]]
    ]
  },
  {
    name: "the settings of the digest",
    accepts: [by(DigestSettingsUpdate)],
    required: {},
    limits: [
      ["subscribed", [true, false], ["yes", null]],
      ["timezone", ["Asia/Tokyo"], ["Tokyo", text(61)]]
    ]
  },
  {
    name: "the preview of the digest",
    accepts: [by(DigestPreviewInput)],
    required: {},
    limits: [
      ["period", ["last_week", "last_7_days"], ["last_month"]],
      ["ai", [true, false], ["yes"]],
      ["format", ["json", "html"], ["pdf"]]
    ]
  }
]

describe.each(tables)("$name", ({ accepts, limits, required }) => {
  it.each(limits)("takes %s up to its limits and no further", (field, within, beyond) => {
    for (const accept of accepts) {
      for (const value of within) expect([value, accept({ ...required, [field]: value })]).toEqual([value, true])
      for (const value of beyond) expect([value, accept({ ...required, [field]: value })]).toEqual([value, false])
    }
  })

  it("needs its required fields, and in an update none", () => {
    const [create, update] = accepts
    for (const field of Object.keys(required)) {
      const rest = Object.fromEntries(Object.entries(required).filter(([name]) => name !== field))
      expect([field, create?.(rest)]).toEqual([field, false])
      if (update !== undefined) expect([field, update(rest)]).toEqual([field, true])
    }
    if (update !== undefined) expect(update({})).toBe(true)
  })
})

/** The queries of lists, as text: what each takes and refuses. */
const queries: ReadonlyArray<
  readonly [operation: string, field: string, within: ReadonlyArray<string>, beyond: ReadonlyArray<string>]
> = [
  ["get_current_oncall", "scheduleId", [id("sch")(1)], []],
  ["list_oncall_schedules", "days", ["0", "42"], ["-1", "43", "many"]],
  ["get_oncall_schedule", "days", ["1", "42"], ["0", "43"]],
  ["list_deploys", "monitorId", [id("mon")(1)], []],
  ["list_deploys", "pageId", [id("pg")(1), "acme"], []],
  ["list_deploys", "incidentId", [id("inc")(1)], []],
  ["list_deploys", "environment", ["production"], []],
  ["list_deploys", "since", [at, "2026-11-20T08:00:00+02:00"], ["2026-11-20"]],
  ["list_deploys", "until", [at], ["yesterday"]],
  ["list_deploys", "limit", ["1", "500"], ["0", "501"]]
]

describe("a query", () => {
  it.each(queries)("of %s takes %s up to its limits and no further", (operation, field, within, beyond) => {
    const query = operations.find((one) => one.id === operation)?.query ?? Option.none()
    const accepts = (value: string) =>
      Option.exists(query, (schema) => Option.isSome(Schema.decodeUnknownOption(schema)({ [field]: value })))
    expect(within.filter((value) => !accepts(value))).toEqual([])
    expect(beyond.filter(accepts)).toEqual([])
  })
})
