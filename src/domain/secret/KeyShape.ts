/** Finds words that look like a key or a token, by their shape alone. */

/** The prefixes that services give their keys, and that of every JSON Web Token. */
const issued =
  /^(?:(?:sk|rk|whsec|gh[oprsu]|github_pat|glpat|xox[a-z]|npm|bell_live|shpat|dop_v1|hf)[-_]|AKIA|ASIA|AIza|ya29\.|eyJ)/

const shortestIssued = 16
const shortestRandom = 20

const count = (text: string, characters: RegExp): number => text.match(characters)?.length ?? 0

/** Letters mixed with digits without a break. The groups of a UUID are shorter: UUIDs name things more often than they open them. */
const isRandom = (run: string): boolean => run.length >= shortestRandom && count(run, /\d/g) >= 2 && count(run, /[a-z]/gi) >= 4

export const looksLikeKey = (word: string): boolean =>
  (word.length >= shortestIssued && issued.test(word)) ||
  (word.length >= shortestRandom && word.split(/[^a-z\d+=]/i).some(isRandom))
