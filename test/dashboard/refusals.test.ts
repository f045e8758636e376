/** Every form of the dashboard when it is refused: the page says what to do next and keeps what was typed. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { operationById } from "../../src/dashboard/frame/DashboardApi.ts"
import { views } from "../../src/dashboard/views/Views.ts"
import { type Answer, forgetLimits, type Visitor } from "../support/browser/Visitor.ts"
import { databaseLine } from "../support/network/Line.ts"
import { programOf } from "../support/program/Program.ts"
import { until } from "../support/time/Until.ts"
import { everyForm, type ServedForm } from "./AllForms.ts"
import { fullWorkspace } from "./FullWorkspace.ts"
import { faultsOf, filled, isMarked, isTyped, plausible, type Sent } from "./RefusedForm.ts"

interface Line {
  readonly cut: Effect.Effect<void>
  readonly mend: Effect.Effect<void>
}
/** The connection between the program and its database. */
const line: { current: Line | null } = { current: null }

class Everything extends Context.Tag("Everything")<Everything, Effect.Effect.Success<typeof opened>>() {}

const opened = Effect.gen(function*() {
  const workspace = yield* fullWorkspace
  const { drill, job, monitors } = workspace.made
  // Its monitor and its incident end with it, and their forms too.
  yield* until(workspace.visitor.api("GET", `/drills/${drill.id}`), ({ body }) => body.status !== "running")
  yield* workspace.visitor.api("POST", "/me/2fa/setup")
  const more = [
    `/app/monitors/${monitors[0].id}/start`,
    `/app/drills/${drill.id}`,
    `/app/import/${job.id}`,
    "/app/monitors/delete",
    `/app/monitors/${monitors[0].id}/figures`,
    "/app/security/2fa"
  ]
  const { forms, patterns } = yield* everyForm(workspace.visitor, more)
  // Of forms that differ in some fields, one: all are parts of one form in one view.
  const different = new Map(forms.map((form) => [`${form.place} ${form.action.replace(/\?.*/, "")}`, form]))
  different.delete(" /sign-out")
  return { ...workspace, patterns, forms: [...different.values()], variants: forms }
})

const program = programOf(
  { BELLTOWER_ALLOW_TARGETS: "127.0.0.0/8" },
  (direct) =>
    Effect.map(databaseLine(direct), ({ address, cut, mend }) => {
      line.current = { cut, mend }
      return address
    })
)

let submissions = 0

/** As a view that has just been loaded would: with a key of its own. A form without an action is sent to its own page. */
const send = (visitor: Visitor, { action, path }: ServedForm, sent: Sent) => {
  submissions++
  const fields = sent.map(([name, value]): [string, string] => [name, name === "_key" ? `${value}-${submissions}` : value])
  return visitor.submit(action === "" ? path : action, fields)
}

/** Sends every form and lists what is wrong with the answers that `expected` asks for. */
const faultsIn = (
  visitor: Visitor,
  forms: ReadonlyArray<ServedForm>,
  isRefusal: (answer: Answer, form: ServedForm) => boolean | null,
  fill: (form: ServedForm) => Sent = filled
) =>
  Effect.map(
    Effect.forEach(forms, (form) => {
      const sent = fill(form)
      return Effect.map(send(visitor, form, sent), (answer) => {
        const refused = isRefusal(answer, form)
        const faults = refused === null ? [] : refused ? faultsOf(form, sent, answer) : [`answers ${answer.status}`]
        return faults.map((fault) => `${form.place} ${form.action} (${answer.status}): ${fault}`)
      })
    }),
    (faults) => faults.flat()
  )

/** Forms of the workspace; after one that leads to another workspace, the rest would be there. */
const ofWorkspace = ({ action }: ServedForm): boolean =>
  action.startsWith("/app/do") && !/(?:create_my|switch)_workspace/.test(action)

/** Forms of operations that only read, such as a preview. */
const mayViewersCall = ({ action }: ServedForm): boolean =>
  operationById.get(/^\/app\/do(?:-all)?\/(\w+)/.exec(action)?.[1] ?? "")?.leastRole === "viewer"

layer(Layer.provideMerge(Layer.effect(Everything, Effect.orDie(opened)), program), {
  excludeTestServices: true,
  timeout: "170 seconds"
})("Every form of the dashboard", (it) => {
  it.effect("is found in the views, which are all visited", () =>
    Effect.gen(function*() {
      const { forms, patterns } = yield* Everything
      expect(views.map(({ path }) => path).filter((path) => !patterns.includes(path))).toEqual([])
      expect(forms.length).toBeGreaterThan(70)
    }))

  it.effect("says to somebody without the right that it is not allowed, and keeps what was typed", () =>
    Effect.gen(function*() {
      const { forms, id, visitor } = yield* Everything
      const sql = yield* SqlClient.SqlClient
      const become = (role: string) => sql`update memberships set role = ${role} where workspace_id = ${id}`
      yield* become("viewer")
      yield* until(visitor.get("/app/keys"), ({ text }) => !text.includes("id=\"new-key\""))
      const refused = yield* faultsIn(visitor, forms.filter(ofWorkspace), ({ status }, form) =>
        mayViewersCall(form) || status < 400 ? null : status === 403)
      yield* become("owner")
      yield* until(visitor.get("/app/keys"), ({ text }) =>
        text.includes("id=\"new-key\""))
      expect(refused, refused.join("; ")).toEqual([])
    }))

  it.effect("leads to the sign-in when the session has ended, and can be sent again afterwards", () =>
    Effect.gen(function*() {
      const { forms, visitor } = yield* Everything
      const session = new Map(visitor.cookies)
      visitor.cookies.clear()
      const ended = yield* faultsIn(
        visitor,
        forms.filter(({ action }) => action !== "/app/theme"),
        ({ location, status }, form) =>
          // A form without fields has nothing to keep.
          form.controls.length === 0 ? (location?.startsWith("/sign-in?next=%2Fapp%2F") ? null : false) : status === 401
      )
      for (const [name, value] of session) visitor.cookies.set(name, value)
      expect(ended, ended.join("; ")).toEqual([])
    }))

  it.effect("says that the service is away while its database is, and can be sent again afterwards", () =>
    Effect.gen(function*() {
      const { forms, visitor } = yield* Everything
      yield* line.current?.cut ?? Effect.die("no line")
      const away = yield* faultsIn(
        visitor,
        forms.filter(ofWorkspace),
        ({ status, text }) => status === 503 && text.includes("Send the form again")
      )
      yield* line.current?.mend ?? Effect.die("no line")
      yield* until(visitor.get("/app/keys"), ({ status }) => status === 200)
      expect(away, away.join("; ")).toEqual([])
    }))

  it.effect("names the field whose value is refused, marks it, and keeps the others", () =>
    Effect.gen(function*() {
      const { variants, visitor } = yield* Everything
      yield* forgetLimits
      const faults: Array<string> = []
      const tried = new Set<string>()
      let marked = 0
      for (const form of variants.filter(ofWorkspace)) {
        for (const field of form.controls.filter((one) => isTyped(one) || ["url", "email", "number"].includes(one.kind))) {
          // Forms with several buttons, and rows, have the same field again.
          const same = `${form.place} ${field.name.replace(/\d+/g, "0")}`
          if (tried.has(same)) continue
          tried.add(same)
          const bad = field.kind === "number" ? "-7" : "x".repeat(70_000)
          const sent = form.controls.map(({ name, value }) => [name, name === field.name ? bad : value] as const)
          const answer = yield* send(visitor, form, sent)
          if (answer.status < 400) continue
          const others = faultsOf(form, sent, answer)
          if (isMarked(answer.text, field.name)) marked++
          else if (!isMarked(answer.text) && !field.name.startsWith("document")) {
            faults.push(`${same} (${answer.status}): not marked`)
          }
          faults.push(...others.map((fault) => `${same} (${answer.status}): ${fault}`))
        }
      }
      expect(faults, faults.join("; ")).toEqual([])
      expect(marked).toBeGreaterThan(100)
    }))

  it.effect("says that too many were sent, and when to send it again", () =>
    Effect.gen(function*() {
      const { forms, visitor } = yield* Everything
      const sql = yield* SqlClient.SqlClient
      yield* sql`create function exhaust() returns trigger language plpgsql as $$ begin new.count := 1000000; return new; end $$`
      yield* sql`create trigger exhaust before insert or update on rate_limits for each row execute function exhaust()`
      const limited: Array<string> = []
      const faults = yield* faultsIn(
        visitor,
        forms.filter(ofWorkspace).filter(({ key }) => /invite|drill/.test(key)),
        ({ status }, form) => {
          if (status === 429) limited.push(form.key)
          return status === 429 ? true : null
        },
        (form) => plausible(form).map(([name, value]) => [name, name.split(":")[0] === "email" ? "new@example.com" : value])
      )
      yield* sql`drop trigger exhaust on rate_limits`
      yield* forgetLimits
      expect(faults, faults.join("; ")).toEqual([])
      expect(limited.length).toBeGreaterThan(1)
    }))

  it.effect("says that its record is gone, where to go next, and keeps what was typed", () =>
    Effect.gen(function*() {
      const { forms, made, visitor } = yield* Everything
      const remove = (path: string) =>
        Effect.map(visitor.api("DELETE", path), ({ status, text }) => expect([path, status, text]).toEqual([path, 200, text]))
      yield* remove(`/escalation-policies/${made.policy.id}`)
      yield* remove(`/oncall/schedules/${made.schedule.id}`)
      yield* remove(`/channels/${made.channel.id}`)
      yield* remove(`/pages/${made.page.id}`)
      yield* remove(`/incident-templates/${made.template.id}`)
      yield* remove(`/api-keys/${made.apiKey.id}`)
      for (const monitor of made.monitors) yield* remove(`/monitors/${monitor.id}`)
      yield* visitor.api("POST", `/incidents/${made.incident.id}/resolve`, {})
      const statuses = new Map<number, number>()
      const gone = [made.policy, made.schedule, made.channel, made.page, made.template, ...made.monitors].map(({ id }) =>
        String(id)
      )
      const isOfGone = ({ controls }: ServedForm) =>
        controls.some(({ name, value }) => /^(?:id|pageId|monitorId)$/.test(name) && gone.includes(value))
      // What ends the membership would refuse everything that follows.
      const rest = forms.filter(ofWorkspace).filter(({ action }) => !/(?:delete_workspace|_member|create_drill)\b/.test(action))
      const faults = yield* faultsIn(visitor, rest, ({ status }, form) => {
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        return status < 400 ? (isOfGone(form) ? false : null) : true
      }, plausible)
      expect(faults, faults.join("; ")).toEqual([])
      expect(statuses.get(404)).toBeGreaterThan(30)
      expect(statuses.get(409)).toBeGreaterThan(0)
    }))
})
