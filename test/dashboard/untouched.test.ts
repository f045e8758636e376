/** Every form of the product as somebody sends it who fills in only what it asks for: it succeeds, or says before what it needs. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operationById } from "../../src/dashboard/frame/DashboardApi.ts"
import { attributeOf, unescaped } from "../support/browser/FormIn.ts"
import { bootstrapped, forgetLimits, newAddress, newVisitor, type Visitor } from "../support/browser/Visitor.ts"
import { programOf } from "../support/program/Program.ts"
import { until } from "../support/time/Until.ts"
import { type Control, everyForm, formsIn, type ServedForm } from "./AllForms.ts"
import { fullWorkspace } from "./FullWorkspace.ts"
import { isMarked, type Sent } from "./RefusedForm.ts"

const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16)

const oneSchedule = "{\"schedules\":[{\"id\":\"S\",\"name\":\"Core\"}]}"

const documents: Readonly<Record<string, string>> = {
  uptimekuma: "{\"monitorList\":{}}",
  gatus: "endpoints: []",
  cronitor: "jobs: {}",
  belltower: "{}",
  pagerduty: oneSchedule,
  opsgenie: oneSchedule,
  grafanaoncall: oneSchedule
}

const samples: Readonly<Record<string, string>> = {
  host: "example.com",
  emails: "oncall@example.com",
  code: "return true",
  schedule: "30 2 * * *",
  botToken: "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11",
  chatId: "-1001234567890",
  token: "0123456789abcdef0123456789abcdef",
  topic: "belltower_alerts",
  calendar: "BEGIN:VCALENDAR\nEND:VCALENDAR"
}

/** Ids of monitors, which a script lets people find by name. */
const monitorIds = new Map<string, string>()

let names = 0

/** A person's text for a field that must be filled in. */
const written = ({ kind, min, name, options, value }: Control, { controls }: ServedForm): string => {
  const [path = ""] = name.split(":")
  if (kind === "select") return value === "" ? options.find((option) => option !== "") ?? "" : value
  if (path === "document") return documents[controls.find((one) => one.name === "source")?.value ?? ""] ?? "{}"
  if (value !== "") return value
  // An address as people write it.
  if (/url$/i.test(path)) return "example.com/hook"
  if (kind === "email" || path === "email") return newAddress()
  if (kind === "number") return min ?? "1"
  if (kind === "datetime-local") return soon(/end/i.test(path) ? 60 : 50)
  return monitorIds.get(path) ?? samples[path] ?? `Text ${++names}`
}

const isTyped = ({ kind, name }: Control) => !name.startsWith("_") && !["hidden", "select", "checkbox", "radio"].includes(kind)

/** Required, or the address that a form without any other field is about. */
const isAsked = (control: Control) =>
  control.kind === "email" || (control.required && (isTyped(control) || control.kind === "select"))

/** Only the required fields are filled in; the others are as they were. */
const untouched = (form: ServedForm): Sent =>
  form.controls.map((control) => [control.name, isAsked(control) ? written(control, form) : control.value])

/** All that may be empty is empty, and no box is checked. */
const emptied = (form: ServedForm): Sent =>
  form.controls.filter(({ kind, name, required }) => kind !== "checkbox" || required || name.startsWith("_")).map((control) => [
    control.name,
    isAsked(control) ? written(control, form) : isTyped(control) || control.options.includes("") ? "" : control.value
  ])

const ways = { untouched, emptied } as const

const operationOf = ({ action }: ServedForm) => operationById.get(/^\/app\/do(?:-all)?\/(\w+)/.exec(action)?.[1] ?? "")

/** Deletions come last, since they take other forms with them. */
const rank = (form: ServedForm): number =>
  /delete_workspace|create_my_workspace|sign-out|end_my/.test(form.action) ? 2 : operationOf(form)?.method === "DELETE" ? 1 : 0

/** Refusals that a form announces: its words, and those of the answer. */
const announced: ReadonlyArray<readonly [place: RegExp, words: string, answer: string]> = [
  [/import#preview-form$/, "Enter a key or an address.", ""],
  [/members#remove-/, "The last owner cannot leave", ""],
  [/monitors#monitors$/, "aria-label=\"Tag to add or remove\"", "Tag to add or remove : Fill in the value first."],
  // A browser cannot demand one box of several.
  [/./, "Choose at least one.", "Choose at least one."]
]

const isAnnounced = ({ place }: ServedForm, page: string, answer: string): boolean =>
  announced.some(([pattern, words, said]) => pattern.test(place) && page.includes(words) && answer.includes(said))

const opened = (visitor: Visitor, address: string): Effect.Effect<number> =>
  Effect.flatMap(
    visitor.get(address),
    ({ location, status }) => location === null || !location.startsWith("/") ? Effect.succeed(status) : opened(visitor, location)
  )

const alertOf = (html: string): string =>
  (/role="alert"[^>]*>([\s\S]*?)<\/(?:div|p)>/.exec(html)?.[1] ?? "").replace(/<[^>]*>/g, " ").replace(/\s+/g, " ")

const isSameForm = (one: ServedForm, other: ServedForm): boolean =>
  one.place !== "" && one.place === other.place && one.action === other.action

/** Sends the form as its page has it now, if it still has it. What is wrong with the answer, and with its address. */
const faultsOf = (visitor: Visitor, form: ServedForm, way: keyof typeof ways) =>
  Effect.gen(function*() {
    yield* forgetLimits
    const { text: page } = yield* visitor.get(form.path)
    const here = formsIn(form.path, page)
    // What was sent before may have given or taken fields.
    const now = here.find((one) => one.key === form.key) ?? here.find((one) => isSameForm(one, form))
    if (now === undefined) return null
    const target = new URL(now.action, `http://belltower.internal${now.path}`)
    const action = `${target.pathname}${target.search}`
    const { location, status, text } = yield* visitor.submit(
      action,
      ways[way](now).map(([name, value]): [string, string] => [name, value])
    )
    // Another service may refuse what a form is filled in with here; a field of ours may not.
    const isOutside = operationOf(now)?.reachesOut === true && !isMarked(text)
    const faults = status < 400 || isOutside || isAnnounced(now, page, alertOf(text)) ? [] : [`${status} ${alertOf(text)}`]
    const reopened = location === null ? yield* opened(visitor, action) : 200
    return [...faults, ...(reopened === 200 ? [] : [`its answer's address answers ${reopened}`])].map((fault) =>
      `${way} ${form.key}: ${fault}`
    )
  })

const everyFault = (visitor: Visitor, forms: ReadonlyArray<ServedForm>) =>
  Effect.gen(function*() {
    const faults: Array<string> = []
    let sent = 0
    for (const form of [...forms].sort((a, b) => rank(a) - rank(b))) {
      for (const way of ["untouched", "emptied"] as const) {
        const found = yield* faultsOf(visitor, form, way)
        if (found !== null) sent++
        faults.push(...found ?? [])
      }
    }
    return { faults, sent }
  })

/** Pages for people without a session: followed from the first ones, one of each kind. */
const publicForms = Effect.fn("publicForms")(function*(visitor: Visitor, starts: ReadonlyArray<string>) {
  const waiting = [...starts]
  const seen = new Set<string>()
  const forms = new Map<string, ServedForm>()
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const parts = path.split("/")
    const kind = `${parts[1]} ${parts.length}`
    if (seen.has(kind) || path.includes(".")) continue
    seen.add(kind)
    const { text } = yield* visitor.get(path, { accept: "text/html" })
    for (const form of formsIn(path, text)) forms.set(form.key, form)
    const links = [...text.matchAll(/<a [^>]*>/g)].map(([tag]) => attributeOf(tag, "href") ?? "")
    waiting.push(
      ...links.map((href) => unescaped(href).replace(/#.*/, "")).filter((href) => /^\/(?:s|status|sign-in)(?:\/|$)/.test(href))
    )
  }
  return [...forms.values()]
})

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "170 seconds" })(
  "Every form of the product",
  (it) => {
    it.effect("succeeds with its required fields alone, and with all others empty", () =>
      Effect.gen(function*() {
        const { made, visitor } = yield* fullWorkspace
        yield* until(visitor.api("GET", `/drills/${made.drill.id}`), ({ body }) => body.status !== "running")
        const more = [
          `/app/monitors/${made.monitors[0].id}/start`,
          "/app/contact",
          "/app/digest",
          "/app/workspaces",
          "/app/security"
        ]
        monitorIds.set("monitorIds", made.monitors[0].id).set("manifest.monitorId", made.monitors[4].id)
        const { forms } = yield* everyForm(visitor, more)
        const { faults, sent } = yield* everyFault(visitor, forms.filter(({ action }) => action !== "/sign-out"))
        expect(faults, faults.join("\n")).toEqual([])
        expect(sent).toBeGreaterThan(50)
      }), 170_000)

    it.effect("does so for visitors, too", () =>
      Effect.gen(function*() {
        const { made } = yield* fullWorkspace
        const { claim } = yield* bootstrapped
        const visitor = yield* newVisitor
        const forms = yield* publicForms(visitor, [
          "/sign-in",
          claim,
          `/s/${made.page.slug}`,
          `/s/${made.page.slug}/subscribe`,
          "/status"
        ])
        const { faults, sent } = yield* everyFault(visitor, forms)
        expect(faults, faults.join("\n")).toEqual([])
        expect(sent).toBeGreaterThan(5)
      }), 170_000)
  }
)
