use std::borrow::Cow;
use std::collections::HashSet;

/// Up to this many names are compared one by one; more are hashed (with a random key, against made-up collisions).
const FEW: usize = 12;

/// The member names seen so far in each open object.
#[derive(Default)]
pub(super) struct Keys<'a> {
    names: Vec<Cow<'a, [u8]>>,
    objects: Vec<Object<'a>>,
}

struct Object<'a> {
    /// Where the object's names begin in `names`.
    first: usize,
    /// Where they are instead once they are many.
    many: Option<HashSet<Cow<'a, [u8]>>>,
}

impl<'a> Keys<'a> {
    pub(super) fn open(&mut self) {
        self.objects.push(Object { first: self.names.len(), many: None });
    }

    pub(super) fn close(&mut self) {
        if let Some(object) = self.objects.pop() {
            self.names.truncate(object.first);
        }
    }

    /// Adds a name to the innermost object; gives it back if the object has it already.
    pub(super) fn insert(&mut self, name: Cow<'a, [u8]>) -> Result<(), Cow<'a, [u8]>> {
        let Some(object) = self.objects.last_mut() else { return Ok(()) };
        if let Some(many) = &mut object.many {
            if many.contains(&name) {
                return Err(name);
            }
            many.insert(name);
            return Ok(());
        }
        if self.names[object.first..].contains(&name) {
            return Err(name);
        }
        self.names.push(name);
        if self.names.len() - object.first > FEW {
            object.many = Some(self.names.drain(object.first..).collect());
        }
        Ok(())
    }
}
