/** The CSS variables of the four presets of a status page, each in light and dark. */
import type { EffectiveStatus } from "../../../schema/component/Component.ts"
import type { Preset, TokenName } from "./Theme.ts"

export type Palette = Record<TokenName, string>

/** The variable with the colour of a status. */
export const statusTokens = {
  operational: "operational",
  degraded: "degraded",
  partial_outage: "partial",
  major_outage: "major",
  maintenance: "maintenance",
  unknown: "unknown"
} as const satisfies Record<EffectiveStatus, TokenName>

/** Contrast on `bg` and `surface` (WCAG 2.2 AA): at least 4.5 for `text`, `muted` and `accent`, at least 3 for these. */
const statusLight = {
  operational: "#1a9550",
  degraded: "#c27803",
  partial: "#e0570b",
  major: "#d92d20",
  maintenance: "#2f6fed",
  unknown: "#aab4c2"
}

const statusDark = {
  operational: "#3ccb7f",
  degraded: "#f5b83d",
  partial: "#fb8b3c",
  major: "#f9645c",
  maintenance: "#7aa7ff",
  unknown: "#4d5866"
}

export interface PresetStyle {
  readonly light: Palette
  readonly dark: Palette
  readonly sans: string
  readonly heading: string
  readonly mono: string
}

const system = `system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif`
const mono = `ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace`
const serif = `"Iowan Old Style", "Palatino Linotype", Palatino, Charter, Georgia, "Noto Serif", serif`

export const presetStyles: Record<Preset, PresetStyle> = {
  midnight: {
    light: {
      ...statusLight,
      bg: "#eef2fb",
      surface: "#ffffff",
      text: "#0f1a33",
      muted: "#52607d",
      line: "#d9e1f1",
      accent: "#3457d5"
    },
    dark: {
      ...statusDark,
      bg: "#090e1c",
      surface: "#111931",
      text: "#e9eefb",
      muted: "#99a6c4",
      line: "#222e50",
      accent: "#8eabff"
    },
    sans: system,
    heading: "var(--sans)",
    mono
  },
  grid: {
    light: {
      ...statusLight,
      bg: "#fafafa",
      surface: "#ffffff",
      text: "#161616",
      muted: "#5d5d5d",
      line: "#e2e2e2",
      accent: "#006c5b"
    },
    dark: {
      ...statusDark,
      bg: "#0a0a0a",
      surface: "#121212",
      text: "#ededed",
      muted: "#a0a0a0",
      line: "#2a2a2a",
      accent: "#3ad6b9"
    },
    sans: system,
    heading: "var(--mono)",
    mono
  },
  daylight: {
    light: {
      ...statusLight,
      bg: "#f6f8fa",
      surface: "#ffffff",
      text: "#101828",
      muted: "#576273",
      line: "#e4e8ee",
      accent: "#1f5fd6"
    },
    dark: {
      ...statusDark,
      bg: "#0e1116",
      surface: "#161b22",
      text: "#ecf0f5",
      muted: "#9ba6b4",
      line: "#2a313b",
      accent: "#86b1ff"
    },
    sans: system,
    heading: "var(--sans)",
    mono
  },
  paper: {
    light: {
      ...statusLight,
      bg: "#f6f1e7",
      surface: "#fffdf8",
      text: "#2a251e",
      muted: "#665d4f",
      line: "#e6ddcc",
      accent: "#874624"
    },
    dark: {
      ...statusDark,
      bg: "#191612",
      surface: "#221e19",
      text: "#f0e9dc",
      muted: "#b1a692",
      line: "#3a332a",
      accent: "#e0ad80"
    },
    sans: system,
    heading: serif,
    mono
  }
}
