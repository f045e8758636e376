/** A question to a language model, and the bounds of question and answer. */

export interface AiPrompt {
  /** The system prompt: the model's task and its rules. It has no text that others wrote. */
  readonly system: string
  readonly user: string
  /** The most tokens of the answer. */
  readonly mostTokens: number
}

/** A page's rules for public texts. */
export interface WritingRules {
  readonly guidelines: ReadonlyArray<string>
  readonly avoidTerms: ReadonlyArray<string>
}

/** The most characters of data in a prompt. */
export const mostData = 24_000

/** The most characters that are read of an answer. */
export const mostAnswer = 100_000
