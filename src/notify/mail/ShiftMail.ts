/** The mail to somebody whose time on call another person has changed. */
import { DateTime } from "effect"
import type { Span } from "../../domain/oncall/LayerTimes.ts"
import type { ShiftNews } from "../../domain/oncall/ShiftNews.ts"
import { counted } from "../../domain/tools/text/Counted.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { momentText } from "../../domain/tools/time/Moments.ts"
import { layOut, type Mail, plainLine } from "./MailLayout.ts"

/** Times that a mail names. */
const most = 10

export interface ShiftMail extends Pick<ShiftNews, "gained" | "lost"> {
  readonly schedule: string
  /** The zone of the schedule. */
  readonly timezone: string
  /** The name of the person who changed it, in one line, or the address; null for a program. */
  readonly by: string | null
  readonly link: string
}

const linesOf = (saying: string, spans: ReadonlyArray<Span>, zone: string): ReadonlyArray<string> => {
  const shown = spans.slice(0, most).map(({ end, start }) =>
    `${saying} from ${momentText(DateTime.toUtc(start), zone)} to ${momentText(DateTime.toUtc(end), zone)}.`
  )
  return spans.length > most ? [...shown, `${saying} at ${counted(spans.length - most, "more time")}.`] : shown
}

export const shiftMail = ({ by, gained, link, lost, schedule, timezone }: ShiftMail): Mail => {
  const name = isolated(plainLine(schedule))
  const title = lost.length === 0
    ? `You are on call for ${name}`
    : gained.length === 0
    ? `You are no longer on call for ${name}`
    : `Your shifts of ${name} have changed`
  return {
    subject: title,
    ...layOut({
      title,
      paragraphs: [...linesOf("You are on call", gained, timezone), ...linesOf("You are no longer on call", lost, timezone)],
      action: { label: "Open the schedule", link },
      closing: [`${by === null ? "A program" : isolated(by)} has changed the schedule.`]
    })
  }
}
