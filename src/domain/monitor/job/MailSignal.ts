/** Reads what a mail to a heartbeat says: its words decide, where the monitor has any; without, it is a success. */
import type { RunSignal } from "../../../../schema/monitor/JobRun.ts"
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"
import { commaList } from "../../tools/text/CommaList.ts"
import { logOf, type PingReport } from "./JobSignal.ts"

export interface JobMail {
  readonly subject: string
  readonly text: string
}

type MailWords = Pick<HeartbeatTarget, "mailStart" | "mailSuccess" | "mailFailure">

const wordsOf = (list: string | null | undefined): ReadonlyArray<string> => commaList((list ?? "").toLowerCase())

/** Failure goes first: a mail may say what succeeded before. Null: no word of the monitor is in it. */
const meaningOf = (words: MailWords, { subject, text }: JobMail) => {
  const said = `${subject}\n${text}`.toLowerCase()
  const says = (list: string | null | undefined) => wordsOf(list).some((word) => said.includes(word))
  if (says(words.mailFailure)) return "failure"
  if (says(words.mailSuccess)) return "success"
  if (says(words.mailStart)) return "start"
  return [words.mailFailure, words.mailSuccess, words.mailStart].every((list) => wordsOf(list).length === 0) ? "success" : null
}

/** A mail with none of the words is kept and changes nothing. */
export const mailReport = (words: MailWords, mail: JobMail): PingReport => {
  const meaning = meaningOf(words, mail)
  const kind: RunSignal = meaning === null ? "log" : meaning === "start" ? "start" : "end"
  const signal = { kind, rid: null, exitCode: null, ...logOf(`${mail.subject}\n\n${mail.text}`.trim()) }
  return meaning === "failure" ? { status: "down", message: mail.subject.slice(0, 500), signal } : { signal }
}
