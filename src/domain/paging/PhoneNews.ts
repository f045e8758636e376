/** News of a provider of phone services about a page that it took. */

/**
 * `handed_over`: it has the page; `received`: the phone confirms the text, or the person answered; `failed`: neither will happen.
 * `error` is why, for people.
 */
export interface PhoneNews {
  readonly state: "handed_over" | "received" | "failed"
  readonly error: string | null
}
