/** Sends mails while a mail server is set, and deletes old ones. */
import { Effect, Layer, Queue } from "effect"
import { urgently } from "../../src/loops/WorkPriority.ts"
import { MailServer } from "../../src/notify/mail/MailServer.ts"
import { makeMailWorker } from "../../src/notify/mail/MailWorker.ts"
import { wakeableLoop } from "../../src/services/WakeableLoop.ts"
import { mailsSignal } from "../../src/store/mail/MailQueue.ts"
import { Mails } from "../../src/store/mail/Mails.ts"
import { sweepHourlyInBatches } from "../../src/store/Sweep.ts"
import { DueWork } from "../DueWork.ts"

const sendMails = Effect.gen(function*() {
  const server = yield* MailServer
  const signal = yield* (yield* DueWork).signal("mails", mailsSignal)
  const worker = yield* makeMailWorker(server, Queue.offer(signal, undefined))
  yield* wakeableLoop("Sending mails", worker.step, signal)
})

const pruneMails = Effect.flatMap(Mails, ({ prune }) => sweepHourlyInBatches("Old mails", prune()))

export const MailDispatcher = Layer.scopedDiscard(Effect.zipRight(urgently(sendMails), pruneMails)).pipe(
  Layer.provide(DueWork.Default)
)
