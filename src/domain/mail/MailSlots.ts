/** The priorities of queued mails, and how they share the slots of a worker: each keeps some that no other may use. */
import { Struct } from "effect"

/** `urgent`: pages and sign-in links, which somebody waits for. `bulk`: digests and news to many people. `standard`: all others. */
export type MailPriority = keyof typeof priorityNumber

/** The number in rows: the lowest goes first. */
export const priorityNumber = { urgent: 0, standard: 1, bulk: 2 } as const

/** The most urgent first. */
export const mailPriorities = Struct.keys(priorityNumber)

export type MailsInFlight = Readonly<Record<MailPriority, number>>

/** Mails that a worker has in flight at most. Each has a connection to the mail server. */
export const mailSlots = 10

/** The slots that others may not use: half are free for the next page, and thousands of pages do not stop the others. */
const kept: MailsInFlight = { urgent: 5, standard: 1, bulk: 1 }

export const inFlight = (priorities: Iterable<MailPriority>): MailsInFlight => {
  const counts = { urgent: 0, standard: 0, bulk: 0 }
  for (const priority of priorities) counts[priority]++
  return counts
}

/** How many more mails of a priority may be taken beside those in flight. */
export const roomFor = (priority: MailPriority, held: MailsInFlight): number => {
  let room = mailSlots
  for (const other of mailPriorities) room -= other === priority ? held[other] : Math.max(held[other], kept[other])
  return Math.max(0, room)
}
