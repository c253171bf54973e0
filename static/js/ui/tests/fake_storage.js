/** A browser's storage, whose keys are its own properties, as pages list them. */
export class MemoryStorage {
  setItem(key, value) { this[key] = value; }
  getItem(key) { return Object.hasOwn(this, key) ? this[key] : null; }
  removeItem(key) { delete this[key]; }
}
