/** A question to a language model, and the bounds of question and answer. */

export interface AiPrompt {
  /** What the model is told first: its task and its rules. Nothing that others wrote is in it. */
  readonly system: string
  readonly user: string
  /** The most tokens of the answer. */
  readonly mostTokens: number
}

/** What a page asks of texts for its visitors. */
export interface WritingRules {
  readonly guidelines: ReadonlyArray<string>
  readonly avoidTerms: ReadonlyArray<string>
}

/** The most characters of data in a prompt. */
export const mostData = 24_000

/** The most characters that are read of an answer. */
export const mostAnswer = 100_000
