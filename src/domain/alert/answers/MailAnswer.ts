/** Enhanced status codes of mail servers (RFC 3463): what is wrong with a mail or its mailbox, and whether a retry can help. */

interface MailMeaning {
  readonly means: string
  /** Where the reply code does not decide: a full mailbox may be emptied. */
  readonly retries?: true
}

/** By subject and detail, the two numbers after the class. */
const meanings: Readonly<Record<string, MailMeaning>> = {
  "1.1": { means: "the mailbox does not exist; check the address" },
  "1.2": { means: "the domain does not exist; check the address" },
  "1.3": { means: "the address is malformed" },
  "1.6": { means: "the mailbox has moved; ask its owner for the new address" },
  "1.10": { means: "the domain takes no mail" },
  "2.1": { means: "the mailbox is switched off" },
  "2.2": { means: "the mailbox is full", retries: true },
  "2.3": { means: "the mail is larger than the mailbox takes" },
  "3.1": { means: "the disk of the mail system is full", retries: true },
  "3.4": { means: "the mail is too large" },
  "4.1": { means: "the receiving server does not answer", retries: true },
  "4.4": { means: "the mail cannot be routed", retries: true },
  "7.0": { means: "the server refuses the mail by its rules" },
  "7.1": { means: "the server refuses the mail by its rules; check that the sender may send" },
  "7.8": { means: "the server does not accept the password of the mail settings" },
  "7.9": { means: "the server does not accept the sign-in of the mail settings" },
  "7.23": { means: "SPF does not allow this server to send for the sender's domain" },
  "7.25": { means: "the address of this server has no name in DNS" },
  "7.26": { means: "neither SPF nor DKIM proves the sender; set one up for the sender's domain" }
}

const form = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})\b/

export interface EnhancedStatus {
  /** As `5.1.1`. */
  readonly code: string
  readonly means: string | null
  readonly retries: boolean
}

/** The enhanced status at the beginning of a server's reply; null if it has none. The rest of the reply is not read. */
export const enhancedStatus = (reply: string | null): EnhancedStatus | null => {
  const code = form.exec(reply ?? "")?.[1]
  if (code === undefined) return null
  const known = meanings[code.slice(2)]
  return { code, means: known?.means ?? null, retries: code.startsWith("4") || known?.retries === true }
}
