/** The texts of a monitor's target that public pages must not show. */
import { Option, Predicate, Schema } from "effect"
import { Target, type TargetOf } from "../../../../schema/monitor/kinds.ts"
import type { MonitorKind } from "../../../../schema/monitor/MonitorKind.ts"
import { specs } from "../kinds.ts"
import { urlTexts } from "./UrlSettings.ts"

const decode = Schema.decodeUnknownOption(Target)

const textsOf = <Kind extends MonitorKind>(kind: Kind, target: TargetOf<Kind>): ReadonlyArray<string> =>
  specs[kind].confidentialTexts(target)

const allTexts = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return urlTexts(value)
  return Array.isArray(value) ? value.flatMap(allTexts) : Predicate.isRecord(value) ? Object.values(value).flatMap(allTexts) : []
}

/** Takes a stored target. If a newer version wrote it and this version cannot read it, every text in it is confidential. */
export const confidentialTexts = (stored: unknown): ReadonlyArray<string> =>
  Option.match(decode(stored), { onNone: () => allTexts(stored), onSome: (target) => textsOf(target.kind, target) })
