/** The text that Belltower shows in place of a secret, in records, events, evidence and public texts alike. */

/** A client that sends it back in an update keeps the stored value; it is refused where nothing is stored. */
export const mask = "[hidden]"
