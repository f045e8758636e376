/** The contrast of a page's colours as a table, for the server and for the editor in the browser. */
import type { Theme } from "../../../../schema/page/Page.ts"
import { contrastChecks, isEnough } from "../../../domain/page/Contrast.ts"
import { themeColors } from "../../../domain/page/ThemeColors.ts"

const modeNames = { light: "Light", dark: "Dark" } as const

/** `4.52:1`, rounded down, because 4.499 is not 4.5. */
const ratioText = (ratio: number): string => `${(Math.floor(ratio * 100) / 100).toFixed(2)}:1`

/** The accent that the page shows instead of the chosen one. */
const Adjusted = ({ accent, shown }: { readonly accent: string | undefined; readonly shown: string | undefined }) =>
  accent === undefined || shown === undefined || shown === accent
    ? null
    : <p class="note">{accent} is too weak to read here, so links are {shown}.</p>

const Mode = ({ accent, colors, mode }: {
  readonly accent: string | undefined
  readonly mode: "light" | "dark"
  readonly colors: Readonly<Record<string, string>>
}) => {
  const checks = contrastChecks(colors)
  const weak = checks.filter((check) => !isEnough(check))
  const least = Math.min(...checks.flatMap(({ least, ratio }) => ratio === null || least < 4.5 ? [] : [ratio]))
  return (
    <details open={weak.length > 0 || (accent !== undefined && colors["accent"] !== accent)}>
      <summary>
        <span class={`badge is-${weak.length === 0 ? "good" : "bad"}`}>
          {modeNames[mode]}: {weak.length === 0 ? "readable" : `${weak.length} too weak`}
        </span>{" "}
        <span class="note">{Number.isFinite(least) ? `Text has at least ${ratioText(least)}` : ""}</span>
      </summary>
      <Adjusted accent={accent} shown={colors["accent"]} />
      <table class="table contrast">
        <thead>
          <tr>
            <th scope="col">{modeNames[mode]}</th>
            <th scope="col">Ratio</th>
            <th scope="col">Needs</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => (
            <tr>
              <th scope="row">
                <svg width="34" height="18" viewBox="0 0 34 18" aria-hidden="true">
                  <rect width="34" height="18" rx="4" fill={check.ground} />
                  <circle cx="17" cy="9" r="5" fill={check.color} />
                </svg>
                {check.what} on {check.on}
              </th>
              <td class="num">{check.ratio === null ? "not hexadecimal" : ratioText(check.ratio)}</td>
              <td>{isEnough(check) ? `${check.least}:1` : <b class="weak">Too weak, {check.least}:1</b>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

export const ContrastTable = ({ theme }: { readonly theme: Theme }) => (
  <div class="contrasts">
    {themeColors(theme).map(([mode, colors]) => <Mode mode={mode} colors={colors} accent={theme.accent} />)}
  </div>
)
