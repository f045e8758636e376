/** Every form of the product as somebody sends it who fills in only what it asks for: it succeeds, or says before what it needs. */
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operationById } from "../../src/dashboard/frame/DashboardApi.ts"
import { programOf } from "../support/Program.ts"
import { until } from "../support/Until.ts"
import { forgetLimits, newAddress, newVisitor, type Visitor } from "../support/Visitor.ts"
import { type Control, everyForm, formsIn, type ServedForm } from "./AllForms.ts"
import { fullWorkspace } from "./FullWorkspace.ts"
import type { Sent } from "./RefusedForm.ts"

const soon = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 16)

const codes: Readonly<Record<string, string>> = {
  "document": "{}",
  "script": "return true",
  "host": "example.com",
  "emails": "oncall@example.com"
}

let names = 0

/** What a person writes into a field that must be filled in. */
const written = ({ kind, min, name, options, value }: Control): string => {
  const [path = ""] = name.split(":")
  if (value !== "") return value
  if (kind === "select") return options.find((option) => option !== "") ?? ""
  if (kind === "url" || path.endsWith("url") || path.endsWith("Url")) return "https://example.com/"
  if (kind === "email" || path === "email") return newAddress()
  if (kind === "number") return min ?? "1"
  if (kind === "datetime-local") return soon(/end/i.test(path) ? 60 : 50)
  return codes[path] ?? `Text ${++names}`
}

const isTyped = ({ kind, name }: Control) => !name.startsWith("_") && !["hidden", "select", "checkbox", "radio"].includes(kind)

const isAsked = (control: Control) => control.required && (isTyped(control) || control.kind === "select")

/** Only the required fields are filled in; the others are as they were. */
const untouched = ({ controls }: ServedForm): Sent =>
  controls.map((control) => [control.name, isAsked(control) ? written(control) : control.value])

/** All that may be empty is empty. */
const emptied = ({ controls }: ServedForm): Sent =>
  controls.filter(({ kind, name, required }) => kind !== "checkbox" || required || name.startsWith("_")).map((control) => [
    control.name,
    isAsked(control) ? written(control) : isTyped(control) || control.options.includes("") ? "" : control.value
  ])

const ways = { untouched, emptied } as const

/** Deletions come last, since they take other forms with them; what ends the session or the membership comes after them. */
const rank = ({ action }: ServedForm): number => {
  const operation = operationById.get(/^\/app\/do(?:-all)?\/(\w+)/.exec(action)?.[1] ?? "")
  return /delete_workspace|remove_member|sign-out|end-others|sessions/.test(action) ? 2 : operation?.method === "DELETE" ? 1 : 0
}

/** The form as its page serves it now; null if it has none any more. */
const current = (visitor: Visitor, { key, path }: ServedForm) =>
  Effect.map(visitor.get(path), ({ text }) => formsIn(path, text).find((one) => one.key === key) ?? null)

const opened = (visitor: Visitor, address: string): Effect.Effect<number> =>
  Effect.flatMap(visitor.get(address), ({ location, status }) =>
    location === null || !location.startsWith("/") ? Effect.succeed(status) : opened(visitor, location))

layer(programOf({ BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" }), { excludeTestServices: true, timeout: "170 seconds" })(
  "Every form of the product",
  (it) => {
    it.effect("succeeds with its required fields alone, and with all others empty", () =>
      Effect.gen(function*() {
        const { made, visitor } = yield* fullWorkspace
        yield* until(visitor.api("GET", `/drills/${made.drill.id}`), ({ body }) => body.status !== "running")
        const { forms } = yield* everyForm(visitor, [`/app/monitors/${made.monitors[0].id}/start`])
        const faults: Array<string> = []
        let sent = 0
        for (const form of [...forms].sort((a, b) => rank(a) - rank(b))) {
          for (const [way, fill] of Object.entries(ways)) {
            yield* forgetLimits
            const now = yield* current(visitor, form)
            if (now === null || now.action === "/sign-out") continue
            const fields = fill(now)
            const answer = yield* visitor.submit(now.action === "" ? now.path : now.action, fields.map(([a, b]) => [a, b]))
            sent++
            if (answer.status >= 400) {
              const alert = /role="alert"[^>]*>([\s\S]*?)<\/div>/.exec(answer.text)?.[1]?.replace(/<[^>]*>/g, " ") ?? ""
              faults.push(`${way} ${form.key}: ${answer.status} ${alert}`)
            }
            if (answer.location === null) {
              const again = yield* opened(visitor, now.action)
              if (again !== 200) faults.push(`${way} ${form.key}: reopened ${again}`)
            }
          }
        }
        console.log(sent, faults.join("\n"))
        expect(faults).toEqual([])
        yield* newVisitor
      }), 170_000)
  }
)
