// Installed in a document before its own scripts: the wall clock that they read, and a hand to set it with.
(() => {
  const True = Date;
  let differenceMs = 0;
  const nowMs = () => True.now() + differenceMs;
  window.Date = class extends True {
    constructor(...given) {
      if (given.length === 0) super(nowMs());
      else super(...given);
    }

    static now() {
      return nowMs();
    }
  };
  window.setWallClock = (ms) => {
    differenceMs = ms;
  };
})();
