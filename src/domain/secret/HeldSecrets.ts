/** The secrets in the text of a request: in its body (JSON, a form, XML or multipart) or in the value of a header. */

const parts = ["token", "secret", "passw", "apikey", "signature", "credential", "authoriz", "authent", "cookie"]

/** Only as a word of its own: `key`, but not `monkey`. */
const words = new Set(["key", "keys", "auth", "sig", "pass", "pwd", "jwt", "sid", "session", "sessionid", "bearer", "otp"])

const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z\d]+/)

/** True for names of headers, query parameters and fields of a body that announce a secret. */
export const isSecretName = (name: string): boolean => {
  const own = wordsOf(name)
  const joined = own.join("")
  return own.some((word) => words.has(word)) || parts.some((part) => joined.includes(part))
}

const issued =
  /^(?:(?:sk|rk|whsec|gh[oprsu]|github_pat|glpat|xox[a-z]|npm|bell_(?:live|oa[ct]|ort)|shpat|dop_v1|hf)[-_]|AKIA|ASIA|AIza|ya29\.|eyJ)/

const shortestIssued = 16
const shortestRandom = 20

const count = (text: string, characters: RegExp): number => text.match(characters)?.length ?? 0

/** Letters mixed with digits without a break. The groups of a UUID are shorter: UUIDs name things more often than they open them. */
const isRandom = (run: string): boolean => run.length >= shortestRandom && count(run, /\d/g) >= 2 && count(run, /[a-z]/gi) >= 4

/** True for words that look like a key or a token, by their shape alone. */
export const looksLikeKey = (word: string): boolean =>
  (word.length >= shortestIssued && issued.test(word)) ||
  (word.length >= shortestRandom && word.split(/[^a-z\d+=]/i).some(isRandom))

/** A name with its value, as each format writes it. */
const fields: ReadonlyArray<RegExp> = [
  /\b([\w.-]{1,100})["']?\s{0,5}[:=]\s{0,5}["']?([^\s"'&<>,;{}[\]]{1,4000})/g,
  /<([\w.:-]{1,100})>([^<]{1,4000})</g,
  /name="([^"\r\n]{1,100})"\r?\n(?:[^\r\n]{1,200}\r?\n)?\r?\n([^\r\n]{1,4000})/g
]

const isEmpty = (value: string): boolean => /^(?:true|false|null|undefined)$/i.test(value)

/** The values of secret fields, and the words that look like keys. */
export const secretsIn = (text: string): ReadonlyArray<string> => {
  const values = fields.flatMap((field) =>
    [...text.matchAll(field)].flatMap(([, name = "", value = ""]) => isSecretName(name) && !isEmpty(value) ? [value] : [])
  )
  return [...new Set([...values, ...text.split(/[\s"'&<>,;:=(){}[\]\\]+/).filter(looksLikeKey)])]
}

export const holdsSecret = (text: string): boolean => secretsIn(text).length > 0

/** Authentication schemes (RFC 9110, 11.1) whose credentials follow them. */
const scheme = /^(?:basic|bearer|digest|token|apikey|hawk|negotiate)\s/i

/** True if a header holds a credential, by its name or its value. */
export const isSecretHeader = (name: string, value: string): boolean =>
  isSecretName(name) || scheme.test(value) || holdsSecret(value)
