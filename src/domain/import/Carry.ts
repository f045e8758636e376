/** Fits what a source says into the limits of our inputs, with a note for each change. */
import { Either, Option, ParseResult, Schema } from "effect"
import { ChannelInput } from "../../../schema/alert/Channel.ts"
import { ComponentInput } from "../../../schema/component/Component.ts"
import { Assertion } from "../../../schema/monitor/Assertion.ts"
import { MonitorInput } from "../../../schema/monitor/Monitor.ts"
import { PageInput } from "../../../schema/page/Page.ts"
import { compileAssertion } from "../check/answer/AssertionCheck.ts"
import { settleNew } from "../monitor/settings/MonitorSettings.ts"
import type { FoundComponent } from "./Inventory.ts"
import type { Loose } from "./Loose.ts"

export type Notes = ReturnType<typeof makeNotes>

/** Notes of one item. A file may give cause for a hundred thousand. */
const mostNotes = 100

export const makeNotes = () => {
  const all: Array<string> = []
  const said = new Set<string>()
  return {
    all,
    say: (note: string): void => {
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

/** The fields as an input of ours; null with a note if they do not make one. */
const inputOf = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema, { errors: "all" })
  return (notes: Notes, fields: Readonly<Record<string, unknown>>): A | null =>
    Either.match(decode(given(fields)), {
      onRight: (input) => input,
      onLeft: (error) => {
        for (const { message, path } of ParseResult.ArrayFormatter.formatErrorSync(error).slice(0, 5)) {
          notes.say(`${path.join(".")}: ${message}`)
        }
        return null
      }
    })
}

const decodedMonitor = inputOf(MonitorInput)

/** Also null if our monitors cannot have these settings together: the preview reports it, not only the job. */
export const monitorInput = (notes: Notes, fields: Readonly<Record<string, unknown>>): MonitorInput | null => {
  const input = decodedMonitor(notes, fields)
  const settled = input === null ? null : settleNew(input, { channelIds: [], regions: [] })
  if (settled === null || Either.isRight(settled)) return input
  notes.say(settled.left.message)
  return null
}

const decodedAssertion = Schema.decodeUnknownEither(Assertion)

/** What is wrong with an assertion of a source; null if ours can be the same. */
const assertionProblem = (assertion: Loose): string | null =>
  Either.match(decodedAssertion(given(assertion)), {
    onLeft: (error) => ParseResult.TreeFormatter.formatErrorSync(error).replace(/\n.*/s, ""),
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

export const channelInput = inputOf(ChannelInput)
export const pageInput = inputOf(PageInput)

const componentInput = inputOf(ComponentInput)

interface ComponentTexts {
  readonly name: string
  readonly description?: string | null
  readonly group?: string | null | undefined
}

/** A component of a source; none if our inputs cannot express it. */
export const foundComponent = (
  notes: Notes,
  ref: string,
  { description = null, group = null, name }: ComponentTexts,
  { monitorRefs = [], status = null }: Partial<Pick<FoundComponent, "monitorRefs" | "status">>
): ReadonlyArray<FoundComponent> => {
  const input = componentInput(notes, {
    name: cut(notes, "The name", name, 100),
    description: cutIfGiven(notes, "The description", description, 500),
    group: cutIfGiven(notes, "The group", group, 80)
  })
  return input === null ? [] : [{ ref, name, notes: notes.all, input, monitorRefs, manifest: null, status }]
}
