/** Which names announce a secret: names of headers, of query parameters, and of fields in a request body. */

/** Anywhere in a name, however it is written: accessToken, X-API-Key, db_passwd. */
const parts = ["token", "secret", "passw", "apikey", "signature", "credential", "authoriz", "authent", "cookie"]

/** Only as a word of its own: `key`, but not `monkey`. */
const words = new Set(["key", "keys", "auth", "sig", "pass", "pwd", "jwt", "sid", "session", "sessionid", "bearer", "otp"])

const wordsOf = (name: string): ReadonlyArray<string> =>
  name.replace(/([a-z\d])([A-Z])/g, "$1 $2").toLowerCase().split(/[^a-z\d]+/)

export const isSecretName = (name: string): boolean => {
  const own = wordsOf(name)
  const joined = own.join("")
  return own.some((word) => words.has(word)) || parts.some((part) => joined.includes(part))
}
