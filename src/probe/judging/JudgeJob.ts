/** What travels between a worker and its judging threads. */
import type { HttpTarget } from "../../../schema/monitor/kinds/http.ts"
import type { AssertionJudgement } from "../../domain/check/AssertionCheck.ts"
import type { HttpFacts } from "../../domain/check/HttpVerdict.ts"

/** A part of a target's expectations that is judged by itself; a number is an assertion's index. */
export type Part = "keyword" | "keywordAbsent" | number

/** An answer as a thread can be given it. */
export type PlainFacts = Pick<HttpFacts, "status" | "latencyMs" | "bodyComplete" | "sslDays"> & {
  /** Those that assertions ask for, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface JudgeJob {
  /** Identifies the target: a thread reads its expectations once. */
  readonly key: string
  readonly target: HttpTarget
  readonly facts: PlainFacts
  /** Judged in this order. */
  readonly parts: ReadonlyArray<Part>
}

/** Whether the body contains a keyword, or what became of an assertion. */
export type Finding = boolean | AssertionJudgement

/** `Ready` once, when the thread can take jobs; for each job one `Found` per part, and `Done`. */
export type JudgeReply =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Found"; readonly part: Part; readonly finding: Finding }
  | { readonly _tag: "Done" }
