/** Sends mails where there is a mail server, and forgets old ones, for as long as it is up. */
import { Effect, Layer, Queue } from "effect"
import { MailServer } from "../../src/notify/mail/MailServer.ts"
import { makeMailWorker } from "../../src/notify/mail/MailWorker.ts"
import { Mails, mailsSignal } from "../../src/store/mail/Mails.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { wakeableLoop, wakeSignal } from "../WakeableLoop.ts"

const sendMails = Effect.gen(function*() {
  const server = yield* MailServer
  if (server === null) return
  const bell = yield* wakeSignal(mailsSignal)
  const worker = yield* makeMailWorker({ server, onRoom: Queue.offer(bell, undefined) })
  yield* wakeableLoop("Sending mails", worker.step, bell)
})

const clearAway = Effect.flatMap(Mails, ({ prune }) => sweepHourlyInBatches("Old mails", prune()))

export const MailDispatcher = Layer.scopedDiscard(Effect.all([sendMails, clearAway], { discard: true }))
