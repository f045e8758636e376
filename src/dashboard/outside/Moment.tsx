/** A time, to the minute and in UTC. */
import { DateTime } from "effect"

export const Moment = ({ at }: { readonly at: DateTime.Utc }) => {
  const iso = DateTime.formatIso(at)
  return <time dateTime={iso}>{iso.slice(0, 16).replace("T", " ")} UTC</time>
}
