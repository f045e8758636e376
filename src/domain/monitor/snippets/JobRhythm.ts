/** How a job's schedule is written for the programs that start jobs: cron, Kubernetes and systemd. */
import type { HeartbeatTarget } from "../../../../schema/monitor/kinds/heartbeat.ts"

type Rhythm = Pick<HeartbeatTarget, "periodSec" | "schedule" | "timezone">

/** A cron line near a period. */
const cronNear = (periodSec: number): string => {
  const minutes = Math.max(1, Math.round(periodSec / 60))
  if (minutes < 60) return minutes === 1 ? "* * * * *" : `*/${minutes} * * * *`
  const hours = Math.round(minutes / 60)
  if (hours < 24) return hours === 1 ? "0 * * * *" : `0 */${hours} * * *`
  return "0 3 * * *"
}

/** Five fields that every cron reads; null for a schedule that has no such line. */
export const cronLine = ({ periodSec, schedule = null }: Rhythm): string | null => {
  if (schedule === null) return cronNear(periodSec ?? 86_400)
  const isPlain = /^(?:[\d*/,a-z-]+ ){4}[\d*/,a-z-]+$/i.test(schedule) && !/(?:^|[\s,\d])[LW](?:[\s,]|$)/i.test(schedule)
  return isPlain || schedule.startsWith("@") ? schedule : null
}

/** A field of cron as systemd writes it. */
const calendarField = (field: string, least: number): string =>
  field.split(",").map((part) => part.replace(/^\*\//, `${least}/`).replace("-", "..")).join(",")

const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]

/** Days of the week by name; systemd has no steps of them. */
const calendarDays = (field: string): string | null =>
  field.includes("/") ? null : field.replace(/\d/g, (day) => weekdays[Number(day)] ?? "").replaceAll("-", "..")

const two = (field: string): string => field.replace(/\b\d\b/g, "0$&")

/** The value of `OnCalendar=`; null for a schedule that has none. */
export const onCalendar = (rhythm: Rhythm): string | null => {
  const { schedule = null, timezone = null } = rhythm
  const line = cronLine(rhythm)
  const zone = timezone === null ? "" : ` ${timezone}`
  if (line === null || (schedule !== null && !schedule.includes(" "))) {
    const isCron = schedule !== null && schedule.split(" ").length > 4
    return schedule === null || isCron ? null : `${schedule.replace(/^@/, "")}${zone}`
  }
  const [minute = "*", hour = "*", date = "*", month = "*", day = "*"] = line.split(" ")
  const days = day === "*" ? "" : calendarDays(day)
  if (days === null || (days !== "" && date !== "*") || /[a-z]/i.test(month)) return null
  const time = `${two(calendarField(hour, 0))}:${two(calendarField(minute, 0))}:00`
  return `${days === "" ? "" : `${days} `}*-${two(calendarField(month, 1))}-${two(calendarField(date, 1))} ${time}${zone}`
}
