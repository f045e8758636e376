/** What public texts must not show of what a monitor watches. */
import { Option, Predicate, Schema } from "effect"
import { type AvailableKind, Target, type TargetOf } from "../../../schema/monitor/kinds.ts"
import { specs } from "./kinds.ts"
import { urlTexts } from "./UrlTexts.ts"

const decode = Schema.decodeUnknownOption(Target)

const textsOf = <Kind extends AvailableKind>(kind: Kind, target: TargetOf<Kind>): ReadonlyArray<string> =>
  specs[kind].confidentialTexts(target)

const allTexts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return urlTexts(value)
  return Array.isArray(value) ? value.flatMap(allTexts) : Predicate.isRecord(value) ? Object.values(value).flatMap(allTexts) : []
}

/** Takes a target as stored. Where a newer version wrote one that this version cannot read, every text in it is confidential. */
export const confidentialTexts = (stored: unknown): ReadonlyArray<string> =>
  Option.match(decode(stored), { onNone: () => allTexts(stored), onSome: (target) => textsOf(target.kind, target) })
