/** The secrets in the text of a request: in its body (JSON, a form, XML or multipart) or in the value of a header. */
import { looksLikeKey } from "./KeyShape.ts"
import { isSecretName } from "./SecretNames.ts"

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

/** Whether a header holds a credential, by its name or its value. */
export const isSecretHeader = (name: string, value: string): boolean =>
  isSecretName(name) || scheme.test(value) || holdsSecret(value)
