/** The messages between a worker and its judging threads. */
import type { HttpTarget } from "../../../schema/monitor/kinds/http.ts"
import type { AssertionJudgement } from "../../domain/check/answer/AssertionCheck.ts"
import type { HttpFacts } from "../../domain/check/answer/HttpVerdict.ts"

/** A separately judged part of a target's expectations; a number is the index of an assertion. */
export type Part = "keyword" | "keywordAbsent" | number

export type PlainFacts = Pick<HttpFacts, "status" | "latencyMs" | "bodyComplete" | "sslDays"> & {
  /** Only the headers that assertions use, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface JudgeJob {
  /** Identifies the target; a thread caches the expectations by it. */
  readonly key: string
  readonly target: HttpTarget
  readonly facts: PlainFacts
  /** Judged in this order. */
  readonly parts: ReadonlyArray<Part>
}

/** A keyword is in the body, or the judgement of an assertion. */
export type Finding = boolean | AssertionJudgement

/** `Ready` once, when the thread can take jobs; for each job one `Found` per part, and `Done`. */
export type JudgeReply =
  | { readonly _tag: "Ready" }
  | { readonly _tag: "Found"; readonly part: Part; readonly finding: Finding }
  | { readonly _tag: "Done" }
