/** The presets of a status page as small pictures to choose from. */
import type { ComponentChildren } from "preact"
import { type Palette, presetStyles } from "../../../domain/page/Presets.ts"
import { type Preset, presetRadius, presets } from "../../../domain/page/Theme.ts"
import { described, FieldNotes, useField } from "../../design/FieldState.tsx"
import { inWords } from "../../design/Parts.tsx"

/** Half a page in light or dark: brand, banner and three rows with their bars. */
const Half = ({ colors, radius, x }: { readonly colors: Palette; readonly radius: number; readonly x: number }) => (
  <g transform={`translate(${x} 0)`}>
    <rect width="80" height="96" fill={colors.bg} />
    <rect x="8" y="8" width="26" height="6" rx="2" fill={colors.text} />
    <rect x="8" y="20" width="64" height="16" rx={radius / 4} fill={colors.surface} stroke={colors.line} />
    <circle cx="16" cy="28" r="3.500" fill={colors.operational} />
    <rect x="23" y="26" width="36" height="4" rx="2" fill={colors.text} />
    <rect x="8" y="42" width="64" height="46" rx={radius / 4} fill={colors.surface} stroke={colors.line} />
    {[50, 64, 78].map((y, row) => (
      <g>
        <rect x="14" y={y - 2} width="22" height="3" rx="1.500" fill={colors.muted} />
        {[0, 1, 2, 3, 4, 5].map((bar) => (
          <rect
            x={42 + bar * 4.5}
            y={y - 4}
            width="3"
            height="7"
            rx="1"
            fill={row === 1 && bar === 4 ? colors.degraded : colors.operational}
          />
        ))}
      </g>
    ))}
  </g>
)

const Picture = ({ preset }: { readonly preset: Preset }) => {
  const { dark, light } = presetStyles[preset]
  return (
    <svg viewBox="0 0 160 96" aria-hidden="true">
      <Half colors={light} radius={presetRadius[preset]} x={0} />
      <Half colors={dark} radius={presetRadius[preset]} x={80} />
    </svg>
  )
}

const words: Readonly<Record<Preset, string>> = {
  daylight: "Clean and neutral",
  midnight: "Deep blue",
  grid: "Technical, with fine lines",
  paper: "Warm, with a serif"
}

export const PresetChoice = ({ hint, value }: { readonly value: string; readonly hint?: ComponentChildren }) => {
  const field = useField({ name: "theme.preset", label: "Preset", value })
  return (
    <fieldset class="presets" id={field.id} tabindex={-1} {...described(field, hint)}>
      <legend>Preset</legend>
      <div>
        {presets.map((preset) => (
          <label>
            <input type="radio" name="theme.preset" value={preset} checked={field.current === preset} />
            <Picture preset={preset} />
            <span>
              <b>{inWords(preset)}</b> <span class="note">{words[preset]}</span>
            </span>
          </label>
        ))}
      </div>
      <FieldNotes field={field} hint={hint} />
    </fieldset>
  )
}
