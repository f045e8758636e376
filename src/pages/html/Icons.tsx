/** The status icons. Each status has its own shape, because colour alone is not accessible. */
import type { JSX } from "preact"
import { renderToString } from "preact-render-to-string"
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import { presetStyles, statusTokens } from "../../domain/page/Presets.ts"
import { presetOf } from "../../domain/page/Theme.ts"

const disc = "M12 1.5a10.5 10.5 0 1 1 0 21 10.5 10.5 0 0 1 0-21Z"

/** Drawn on a 24 by 24 grid; `.cut` strokes have the colour of the surface. */
const shapes: Record<EffectiveStatus, JSX.Element> = {
  operational: (
    <>
      <path d={disc} fill="currentColor" />
      <path class="cut" d="m7.4 12.4 3.1 3.1 6.1-6.6" />
    </>
  ),
  degraded: (
    <>
      <path d="M12 2 23 21.2a.7.7 0 0 1-.6 1H1.6a.7.7 0 0 1-.6-1Z" fill="currentColor" />
      <path class="cut" d="M12 9v5.6m0 3.1v.3" />
    </>
  ),
  partial_outage: (
    <>
      <path d="M12 2.5a9.5 9.5 0 1 1 0 19 9.5 9.5 0 0 1 0-19Z" fill="none" stroke="currentColor" stroke-width="2.4" />
      <path d="M12 5.5a6.5 6.5 0 0 1 0 13Z" fill="currentColor" />
    </>
  ),
  major_outage: (
    <>
      <path d={disc} fill="currentColor" />
      <path class="cut" d="m8.2 8.2 7.6 7.6m0-7.6-7.6 7.6" />
    </>
  ),
  maintenance: (
    <>
      <rect x="2" y="2" width="20" height="20" rx="5" fill="currentColor" />
      <path class="cut" d="M8.6 8v8m6.8-8v8" />
    </>
  ),
  unknown: (
    <path
      d="M12 2.7a9.3 9.3 0 1 1 0 18.6 9.3 9.3 0 0 1 0-18.6Z"
      fill="none"
      stroke="currentColor"
      stroke-width="2.4"
      stroke-dasharray="3.6 3.7"
    />
  )
}

/** Hidden from screen readers, because a text next to it states the status. */
export const StatusIcon = ({ status }: { readonly status: EffectiveStatus }) => (
  <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" class={`s-${status}`}>{shapes[status]}</svg>
)

const cut = ".cut{fill:none;stroke:#fff;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}"

/** The status icon as a favicon, to show the status in a background tab. */
export const statusFavicon = (status: EffectiveStatus, preset: string | undefined): string =>
  `data:image/svg+xml,${
    encodeURIComponent(renderToString(
      <svg
        xmlns="http://www.w3.org/2000/svg"
        viewBox="0 0 24 24"
        style={`color:${presetStyles[presetOf(preset)].light[statusTokens[status]]}`}
      >
        <style>{cut}</style>
        {shapes[status]}
      </svg>
    ))
  }`
