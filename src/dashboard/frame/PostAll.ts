/**
 * Runs an operation for each of the rows that were checked in a table: `POST /app/do-all/<operation>`. The address says what to
 * do with them, so that a form can have several buttons; the operation's other arguments are the same for all.
 */
import { Effect, Either, Option, Schema } from "effect"
import { isolated } from "../../domain/tools/Direction.ts"
import type { PersonInWorkspaces } from "../../operations/access/Authenticate.ts"
import { counted } from "../design/Counted.ts"
import { requireSameOrigin } from "../Forms.ts"
import { type BulkRow, extended, type Given, ownFields, reduced, restoreOf, rowsOf } from "./BulkRow.ts"
import type { DashboardApi } from "./DashboardApi.ts"
import { formBody } from "./FormBody.ts"
import { leadingTo } from "./NoticeCookie.ts"
import { readVisit } from "./ReadVisit.ts"
import { Refused } from "./Refused.ts"
import { InDashboard, postedForm, postedOperation, type ShowAgain, typedOf } from "./ShowAgain.ts"
import { type Notice, submission, Visit } from "./Visit.ts"

const mostRows = 200

const Own = Schema.Struct({
  _form: Schema.String,
  _back: InDashboard,
  _then: InDashboard,
  /** `{count:monitor}` says how many monitors it was. */
  _said: Schema.String,
  /** The view that confirms: it shows the rows and has the final form. */
  _confirm: Schema.optional(InDashboard),
  /** The fields of the form that the operation takes, separated by commas. */
  _take: Schema.optional(Schema.String),
  /** The fields that each row sends with its own value, separated by commas: they restore rows. */
  _own: Schema.optional(Schema.String),
  /** Values are removed from the rows' lists, not added to them. */
  _less: Schema.optional(Schema.String),
  /** The argument that takes the ids of all rows: the operation is called once. */
  _ids: Schema.optional(Schema.String),
  /** The operation that takes such a call back, by the answer's id. */
  _undo: Schema.optional(Schema.String),
  _key: Schema.optional(Schema.String)
})

const refusal = (operation: string, message: string, issues: Refused["issues"] = []) =>
  new Refused({ operation, status: 422, code: "validation_failed", message, hint: null, issues, retryAfterSec: null })

const problemOf = (operation: string, rows: ReadonlyArray<BulkRow>, taken: ReadonlyArray<readonly [string, string]>) =>
  rows.length === 0
    ? refusal(operation, "Select at least one row")
    : rows.length > mostRows
    ? refusal(operation, `Select at most ${mostRows} rows at a time`)
    : taken.some(([, value]) => value.trim() === "")
    ? refusal(
      operation,
      "Fill in the value first",
      taken.map(([name]) => ({ path: name.split(":")[0] ?? name, message: "Fill in the value first" }))
    )
    : null

const summary = (refused: number, all: number): string =>
  refused === all ? "None of them could be changed" : `${refused} of ${all} could not be changed; the others were`

const listed = (names: string | undefined): ReadonlyArray<string> => (names ?? "").split(",").filter((name) => name !== "")

/** `3 monitors paused` for `{count:monitor} paused`. */
const saidOf = (template: string, rows: number): string =>
  template.replace(/\{count:(\w+)\}/, (_, noun: string) => counted(rows, noun))

const decodeId = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String }))

/** Takes back a call whose answer has an id. */
const undoOf = (operation: string | undefined, answer: unknown): Notice["undo"] =>
  operation === undefined
    ? null
    : Option.getOrNull(Option.map(decodeId(answer), ({ id }) => ({ operation, given: { id } })))

interface Failed {
  readonly row: BulkRow
  readonly refused: Refused
}

/** A reason that all rows share is given once, as by a form for one row; otherwise each row has its own reason. */
const refusedRows = (operation: string, failed: ReadonlyArray<Failed>, all: number): Refused => {
  const [first] = failed
  if (first !== undefined && failed.length === all && failed.every(({ refused }) => refused.message === first.refused.message)) {
    return first.refused
  }
  const issues = failed.map(({ refused, row }) => ({ path: "", message: `${isolated(row.name)}: ${refused.message}` }))
  return refusal(operation, summary(failed.length, all), issues)
}

/** Calls the operation for each row; answers the calls that were refused. */
const makeRunAll =
  (api: DashboardApi["Type"]) =>
  (operation: string, givenOf: (row: BulkRow) => Given, rows: ReadonlyArray<BulkRow>, key: string | undefined) =>
    Effect.gen(function*() {
      const visit = yield* Visit
      const sent = yield* Effect.forEach(rows, (row) => {
        const { idempotencyKey: _, ...caller } = visit.caller
        const own = key === undefined ? caller : { ...caller, idempotencyKey: `${key}-${row.id}` }
        return api.send(operation, { ...givenOf(row), id: row.id }).pipe(
          Effect.provideService(Visit, { ...visit, caller: own }),
          Effect.either,
          Effect.map((result): ReadonlyArray<Failed> => Either.isLeft(result) ? [{ row, refused: result.left }] : [])
        )
      }, { concurrency: 4 })
      return sent.flat()
    })

/** Calls the operation once, for all rows. */
const makeRunOnce = (api: DashboardApi["Type"]) => (operation: string, given: Given, key: string | undefined) =>
  Effect.flatMap(Visit, (visit) => {
    const caller = key === undefined ? visit.caller : { ...visit.caller, idempotencyKey: key }
    return Effect.either(Effect.provideService(api.send(operation, given), Visit, { ...visit, caller }))
  })

export const makePostAll = (api: DashboardApi["Type"], again: ShowAgain) => {
  const runAll = makeRunAll(api)
  const runOnce = makeRunOnce(api)
  return (visitor: PersonInWorkspaces) =>
    Effect.gen(function*() {
      yield* requireSameOrigin
      const operation = yield* postedOperation
      const { asked, fields, own, url } = yield* postedForm(Own)
      asked.delete("workspace")
      const taken = listed(own._take).flatMap((name) => fields.getAll(name).map((value) => [name, value] as const))
      const rows = rowsOf(fields.getAll("_row"))
      const submitted = submission({ form: own._form, action: url, typed: typedOf(fields) })
      const problem = problemOf(operation.id, rows, taken)
      if (problem !== null) return yield* again(own._back, { ...submitted, refused: problem })
      if (own._confirm !== undefined) return yield* again(own._confirm, submitted)
      const visit = yield* readVisit(visitor, { params: {}, submitted: null, idempotencyKey: null })
      const given = formBody([...asked, ...taken])
      if (own._ids !== undefined) {
        const ids = rows.map(({ id }) => id)
        const sent = yield* Effect.provideService(runOnce(operation.id, { ...given, [own._ids]: ids }, own._key), Visit, visit)
        return Either.isLeft(sent)
          ? yield* again(own._back, { ...submitted, refused: sent.left })
          : leadingTo(own._then, { said: saidOf(own._said, rows.length), undo: undoOf(own._undo, sent.right) })
      }
      const changedBy = own._less === undefined ? extended : reduced
      const restored = listed(own._own)
      const failed = yield* Effect.provideService(
        runAll(operation.id, (row) => ({ ...changedBy(given, row), ...ownFields(restored, row) }), rows, own._key),
        Visit,
        visit
      )
      const changed = rows.filter(({ id }) => !failed.some(({ row }) => row.id === id))
      const notice = { said: saidOf(own._said, changed.length), undo: null }
      const restore = restoreOf(operation.id, given, changed)
      if (failed.length > 0) {
        const refused = refusedRows(operation.id, failed, rows.length)
        return yield* again(own._back, { ...submitted, refused }, restore === null ? null : { ...notice, restore })
      }
      // Too much for a cookie, so the view that follows is shown in answer to the form.
      return restore === null ? leadingTo(own._then, notice) : yield* again(own._then, null, { ...notice, restore })
    })
}
