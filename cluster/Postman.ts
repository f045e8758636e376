/** Sends mails where there is a mail server, and forgets old ones, for as long as it is up. */
import { Duration, Effect, Layer, Queue } from "effect"
import { persevere } from "../src/bus/Persevere.ts"
import { MailServer } from "../src/notify/MailServer.ts"
import { makeMailWorker } from "../src/notify/MailWorker.ts"
import { Mails, mailsChannel } from "../src/store/Mails.ts"
import { bellFor, keepDoing } from "./Bell.ts"

const pruneEvery = Duration.hours(1)

const sendMails = Effect.gen(function*() {
  const server = yield* MailServer
  if (server === null) return
  const bell = yield* bellFor(mailsChannel)
  const worker = yield* makeMailWorker({ server, onRoom: Queue.offer(bell, undefined) })
  yield* keepDoing("Sending mails", worker.step, bell)
})

const clearAway = Effect.gen(function*() {
  const mails = yield* Mails
  yield* persevere("Deleting old mails", mails.prune().pipe(Effect.repeat({ while: (more) => more }))).pipe(
    Effect.zipRight(Effect.sleep(pruneEvery)),
    Effect.forever,
    Effect.forkScoped
  )
})

export const Postman = Layer.scopedDiscard(Effect.all([sendMails, clearAway], { discard: true }))
