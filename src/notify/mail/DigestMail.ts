/** The mail of a weekly digest. */
import { DateTime } from "effect"
import type { Digest } from "../../../schema/digest/Digest.ts"
import { isolated } from "../../domain/tools/text/Direction.ts"
import { xmlText } from "../../domain/tools/text/XmlText.ts"
import { durationText } from "../../domain/tools/time/Duration.ts"
import { momentsIn } from "../../domain/tools/time/Moments.ts"
import { cardOf, inLine, type Mail, paragraph, plainLine, small, tableOf, withoutLinks } from "./MailLayout.ts"

/** A table of the mail: its caption, and rows of a name and a value. */
interface Section {
  readonly title: string
  readonly rows: ReadonlyArray<readonly [name: string, value: string]>
}

const percentText = (value: number | null): string => (value === null ? "not observed" : `${value}%`)

/** Our own sentence around names that people chose. Its percentages stay whole. */
const sentence = (text: string): string =>
  inLine(text, 400).split(/(\d{1,3}\.\d{1,6}%)/).map((part, index) => (index % 2 === 1 ? part : withoutLinks(part))).join("")

/** `Nov 16 – 22, 2026`. */
const daysText = ({ from, timezone, to }: Digest["period"]): string =>
  momentsIn("en", timezone, "date")
    .formatRange(DateTime.toDate(from), DateTime.toDate(DateTime.subtract(to, { millis: 1 })))

const sectionsOf = ({ focus, incidents, monitors, trends }: Digest): ReadonlyArray<Section> =>
  [
    { title: "Needs attention", rows: focus.map((text) => [sentence(text), ""] as const) },
    {
      title: "Compared with the week before",
      rows: [
        ["Uptime", `${percentText(trends.uptimePercent.current)} (before: ${percentText(trends.uptimePercent.previous)})`],
        ["Incidents", `${trends.incidents.current} (before: ${trends.incidents.previous})`],
        [
          "Downtime",
          `${durationText(trends.downSeconds.current)} (before: ${durationText(trends.downSeconds.previous)})`
        ]
      ] as const
    },
    {
      title: "Monitors with downtime",
      rows: monitors.worst.map(({ downSeconds, name, uptimePercent }) =>
        [isolated(plainLine(name)), `${percentText(uptimePercent)}, down for ${durationText(downSeconds)}`] as const
      )
    },
    {
      title: "Longest incidents",
      rows: incidents.longest.map(({ acknowledged, durationMinutes, title }) =>
        [isolated(plainLine(title)), `${durationText(durationMinutes * 60)}${acknowledged ? "" : ", not acknowledged"}`] as const
      )
    }
  ].filter(({ rows }) => rows.length > 0)

const htmlOf = ({ rows, title }: Section): string =>
  `<h2 style="margin:24px 0 8px;font-size:16px">${xmlText(title)}</h2>\n${tableOf(rows)}`

const textOf = ({ rows, title }: Section): string =>
  [title, ...rows.map(([name, value]) => value === "" ? `- ${name}` : `- ${name}: ${value}`)].join("\n")

/** `settingsLink` is where a member stops it. */
export const digestMail = (digest: Digest, settingsLink: string): Mail => {
  const { period, summary, workspace } = digest
  const name = isolated(plainLine(workspace.name))
  const title = `${name}: ${daysText(period)}`
  const intro = [summary, ...(digest.ai === null ? [] : [digest.ai])]
  const closing = "You receive this digest on Mondays because you are subscribed to it. Change that in your settings:"
  const sections = sectionsOf(digest)
  const link = xmlText(settingsLink)
  return {
    subject: `Weekly digest: ${name}`,
    text: `${[title, ...intro, ...sections.map(textOf), `${closing} ${settingsLink}`].join("\n\n")}\n`,
    html: cardOf({
      title,
      inside: [...intro.map(paragraph), ...sections.map(htmlOf), small(`${closing} <a href="${link}">${link}</a>`)]
    })
  }
}
