/**
 * Two short tones, made by the browser itself; three for what is critical. Browsers let a page sound only after
 * somebody has used it: until then a sound waits for the first click or key, for a few seconds.
 */

/** [Hz, begin, length] in ms. @typedef {[number, number, number]} Tone */
/** @typedef {"plain" | "critical"} SoundKind */
/** @typedef {"untried" | "allowed" | "held-back" | "missing"} SoundState */

/** @type {Readonly<Record<SoundKind, { wave: OscillatorType, gain: number, tones: Tone[] }>>} */
export const SOUNDS = Object.freeze({
  plain: { wave: "sine", gain: 0.22, tones: [[659, 0, 150], [880, 170, 260]] },
  critical: { wave: "triangle", gain: 0.4, tones: [[988, 0, 170], [740, 190, 170], [988, 380, 300]] },
});
/** After that a sound says more of the click than of the notice. */
const LATE_MS = 5_000;
/** For how long a running context may take to say so. */
const STARTS_WITHIN_MS = 1_000;
const ATTACK_S = 0.012;
const SILENCE = 0.0001; // an exponential ramp cannot end at zero
const GESTURES = ["pointerup", "keydown"];

/** The sound of one page. */
export class Sounder {
  /** @type {AudioContext | null} */ #context = null;
  /** @type {SoundState} */ #state = "untried";
  #playing = 0;
  #window;
  #onState;

  /** @param {Window & typeof globalThis} window @param {() => void} onState */
  constructor(window, onState) {
    this.#window = window;
    this.#onState = onState;
  }

  get state() {
    return this.#state;
  }

  /** @returns {boolean} whether the browser will let this page sound, as far as can be known without trying */
  get isAllowed() {
    return this.#state === "allowed" || (this.#state === "untried" && this.#window.navigator.userActivation?.hasBeenActive === true);
  }

  /** From the first gesture on the page may sound; some browsers want to be asked during it. */
  allowByGesture() {
    const controller = new AbortController();
    let isAsking = false;
    const ask = async () => {
      if (isAsking) return;
      isAsking = true;
      const context = await this.#start(STARTS_WITHIN_MS);
      isAsking = false;
      if (context === null) return;
      controller.abort();
      this.#rest();
    };
    const options = { capture: true, passive: true, signal: controller.signal };
    for (const name of GESTURES) this.#window.addEventListener(name, () => void ask(), options);
  }

  /** @param {SoundKind} kind @returns {Promise<boolean>} whether it sounded */
  async play(kind) {
    // Counted from here: a gesture that lets it begin must not put the context to rest before it has.
    this.#playing += 1;
    const context = await this.#start(LATE_MS);
    if (context === null) this.#ended();
    else tones(context, kind).onended = () => this.#ended();
    return context !== null;
  }

  #ended() {
    this.#playing -= 1;
    this.#rest();
  }

  /** A context that runs, or null if the browser does not let it within that time. @param {number} withinMs */
  async #start(withinMs) {
    try {
      this.#context ??= new this.#window.AudioContext();
    } catch {
      this.#say("missing");
      return null;
    }
    const context = this.#context;
    // A context may begin by itself and say so a little later; one that is held back stays pending in resume().
    const hint = this.#window.setTimeout(() => context.state !== "running" && this.#say("held-back"), Math.min(withinMs, STARTS_WITHIN_MS));
    await Promise.race([context.resume().catch(() => undefined), this.#after(withinMs)]);
    this.#window.clearTimeout(hint);
    this.#say(context.state === "running" ? "allowed" : "held-back");
    return context.state === "running" ? context : null;
  }

  /** Silent contexts cost the machine something. */
  #rest() {
    if (this.#playing === 0) this.#context?.suspend().catch(() => undefined);
  }

  /** @param {SoundState} state */
  #say(state) {
    if (this.#state === state) return;
    this.#state = state;
    this.#onState();
  }

  /** @param {number} ms @returns {Promise<void>} */
  #after(ms) {
    return new Promise((resolve) => this.#window.setTimeout(resolve, ms));
  }
}

/** @param {AudioContext} context @param {SoundKind} kind @returns {OscillatorNode} it has begun */
function tones(context, kind) {
  const { wave, gain: loud, tones: list } = SOUNDS[kind];
  const [oscillator, gain] = [context.createOscillator(), context.createGain()];
  oscillator.type = wave;
  const startS = context.currentTime + 0.02;
  gain.gain.setValueAtTime(SILENCE, startS);
  let endS = startS;
  for (const [hertz, beginMs, lengthMs] of list) {
    const fromS = startS + beginMs / 1000;
    endS = fromS + lengthMs / 1000;
    oscillator.frequency.setValueAtTime(hertz, fromS);
    gain.gain.setValueAtTime(SILENCE, fromS);
    gain.gain.exponentialRampToValueAtTime(loud, fromS + ATTACK_S);
    gain.gain.exponentialRampToValueAtTime(SILENCE, endS);
  }
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(startS);
  oscillator.stop(endS + 0.02);
  return oscillator;
}
