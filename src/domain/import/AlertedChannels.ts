/** Decides which channels an imported monitor alerts if this workspace lacks some of its source. */

type Refs = ReadonlyArray<string> | null

/** True if a channel of the source exists here, by its ref. */
type Exists = (ref: string) => boolean

/** The channels of the source that exist here; null for the defaults of the workspace, also if none of them exists here. */
export const channelsCarried = (refs: Refs, exists: Exists): Refs => {
  const carried = refs?.filter(exists) ?? []
  return refs === null || (refs.length > 0 && carried.length === 0) ? null : carried
}

/** The difference from the source; null if there is none. `hasDefault`: whether the workspace has default channels. */
export const channelsNote = (refs: Refs, exists: Exists, hasDefault: boolean): string | null => {
  if (refs === null) {
    return hasDefault
      ? null
      : "It has no alert channel: the workspace has no default channel. Set its channelIds"
  }
  if (refs.length === 0) return "It has no alert channel, as at the source. Set its channelIds to be alerted"
  const missing = refs.filter((ref) => !exists(ref)).length
  if (missing === 0) return null
  if (missing < refs.length) return `${missing} of its ${refs.length} alert channels are not carried`
  return hasDefault
    ? "None of its alert channels is carried; it alerts the default channels of the workspace"
    : "None of its alert channels is carried, and the workspace has no default channel. Set its channelIds"
}
