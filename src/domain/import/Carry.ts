/** Fits what a source says into the limits of our inputs, with a note for each change. */
import { Either, Option, Schema } from "effect"
import { ChannelInput } from "../../../schema/alert/Channel.ts"
import { ComponentInput } from "../../../schema/component/Component.ts"
import { Assertion } from "../../../schema/monitor/Assertion.ts"
import { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { PageInput } from "../../../schema/page/Page.ts"
import { compileAssertion } from "../check/answer/AssertionCheck.ts"
import { settleComponent } from "../component/ComponentSettings.ts"
import { fieldIssues } from "../input/FieldIssues.ts"
import { settleNew } from "../monitor/settings/MonitorSettings.ts"
import { pageRefusals } from "../page/PageRefusals.ts"
import type { Refusal } from "../Refusal.ts"
import { storable } from "../tools/text/Storable.ts"
import { pathIn, type Problem, storableIn, without } from "./FieldPaths.ts"
import type { FoundComponent } from "./Inventory.ts"
import type { Loose } from "./Loose.ts"

export type Notes = ReturnType<typeof makeNotes>

/** Notes of one item. A file may give cause for a hundred thousand. */
const mostNotes = 100
const longestNote = 500

export const makeNotes = () => {
  const all: Array<string> = []
  const said = new Set<string>()
  return {
    all,
    say: (text: string): void => {
      const note = storable(text.slice(0, longestNote))
      if (said.has(note) || all.length > mostNotes) return
      said.add(note)
      all.push(all.length < mostNotes ? note : "More of it is not carried or changed")
    }
  }
}

/** A value rounded and moved into the range that we accept; `what` names it in the note. Null stays absent. */
export const within = (notes: Notes, what: string, value: number | null, [least, most]: readonly [number, number]) => {
  if (value === null) return undefined
  const fitted = Math.min(Math.max(Math.round(value), least), most)
  if (fitted !== value) notes.say(`${what} ${value} becomes ${fitted}`)
  return fitted
}

export const cut = (notes: Notes, what: string, text: string, most: number): string => {
  if (text.length <= most) return text
  notes.say(`${what} is cut to ${most} characters`)
  return text.slice(0, most)
}

export const cutIfGiven = (notes: Notes, what: string, text: string | null, most: number): string | null =>
  text === null ? null : cut(notes, what, text, most)

/** The entries that have a value: our inputs never hold undefined. */
const given = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null))

/** The value may be a secret. */
const withoutValue = (message: string): string => message.replace(/, got [^]*$/, "")

type Fields = Readonly<Record<string, unknown>>

/** Removals that one input may take: more than the entries of all its lists that our limits let through. */
const mostRemoved = 200

/** The refusals of our inputs for some fields; empty if none. */
type Refusals<A> = (input: A) => ReadonlyArray<Refusal>

/**
 * The fields as an input of ours. What ours cannot have is left out with a note, an entry of a list or map alone: no field takes with
 * it what it is a field of. Null where the rest makes none.
 */
const inputOf = <A, I>(schema: Schema.Schema<A, I>, refusals: Refusals<A>) => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all" })
  const problemsOf = (fields: unknown): Either.Either<A, ReadonlyArray<Problem>> =>
    Either.match(decode(fields), {
      onLeft: (error) =>
        Either.left(
          fieldIssues(error).map(({ message, path }) => ({ message: withoutValue(message), path: pathIn(fields, path) }))
        ),
      onRight: (input) => {
        const refused = refusals(input)
        return refused.length === 0
          ? Either.right(input)
          : Either.left(refused.map(({ message, path }) => ({ message, path: path === null ? [] : pathIn(fields, path) })))
      }
    })
  return (notes: Notes, fields: Fields): A | null => {
    let rest: unknown = storableIn(given(fields))
    for (let removed = 0; removed < mostRemoved; removed++) {
      const found = problemsOf(rest)
      if (Either.isRight(found)) return found.right
      // The last first, so that the positions of the others stay.
      const left = [...found.left].reverse().reduce((some, { path }) => without(some, path), rest)
      for (const { message, path } of found.left.slice(0, 5)) {
        notes.say(path.length === 0 || left === rest ? message : `${path.join(".").slice(0, 100)} is left out: ${message}`)
      }
      if (left === rest) return null
      rest = left
    }
    return null
  }
}

/** Also null if our monitors cannot have these settings together: the preview reports it, not only the job. */
export const monitorInput = inputOf(
  MonitorInput,
  (input) =>
    Either.match(settleNew(input, { channelIds: [], regions: [] }), { onLeft: (refusal) => [refusal], onRight: () => [] })
)

const decodedAssertion = Schema.decodeUnknownEither(Assertion)

/** The fault of an assertion of a source; null if ours can be the same. */
const assertionProblem = (assertion: Loose): string | null =>
  Either.match(decodedAssertion(given(assertion)), {
    onLeft: (error) => fieldIssues(error).map(({ message, path }) => `${path}: ${withoutValue(message)}`).join("; "),
    onRight: (own) => Option.getOrNull(Option.map(Either.getLeft(compileAssertion(own)), ({ message }) => message))
  })

/** The assertions that ours can be. A note says which of the others is lost, so that none of them costs the monitor. */
export const ownAssertions = (notes: Notes, found: ReadonlyArray<Loose>): Loose => {
  const assertions = found.filter((assertion) => {
    const problem = assertionProblem(assertion)
    if (problem !== null) {
      notes.say(`The assertion on ${String(assertion["path"] ?? assertion["source"])} is not carried: ${problem}`)
    }
    return problem === null
  })
  if (assertions.length > 30) notes.say(`Of ${assertions.length} assertions 30 are carried`)
  return assertions.length === 0 ? {} : { assertions: assertions.slice(0, 30) }
}

export const channelInput = inputOf(ChannelInput, () => [])
export const pageInput = inputOf(PageInput, pageRefusals)

const componentInput = inputOf(
  ComponentInput,
  (input) => Either.match(settleComponent(input), { onLeft: (refused) => refused, onRight: () => [] })
)

interface ComponentTexts {
  readonly name: string
  readonly description?: string | null
  readonly group?: string | null | undefined
}

/** A component of a source. */
export const foundComponent = (
  notes: Notes,
  ref: string,
  { description = null, group = null, name }: ComponentTexts,
  { monitorRefs = [], status = null }: Partial<Pick<FoundComponent, "monitorRefs" | "status">>
): FoundComponent => {
  const input = componentInput(notes, {
    name: cut(notes, "The name", name, 100),
    description: cutIfGiven(notes, "The description", description, 500),
    group: cutIfGiven(notes, "The group", group, 80)
  })
  return { ref, name, notes: notes.all, input, monitorRefs, manifest: null, status }
}
