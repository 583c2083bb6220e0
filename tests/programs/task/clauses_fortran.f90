! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Tasks from Fortran: clauses, arrays and character data, allocatables, depend kinds, taskloop, detach, cancellation
! points, task reductions on regions, tasks in procedures, nested teams.
!
! test: env
! test: env OMP_CANCELLATION=true
module bodies
  use check
  use omp_lib
  implicit none
contains

  subroutine values(width) bind(c)
    integer(c_int), value :: width
    integer :: i, wrong, array(20)
    character(len=11) :: text
    real(8), allocatable :: work(:)
    complex(8) :: z
    wrong = 0
    array = [(i, i = 1, 20)]
    text = 'fourteen'
    z = (1d0, -2d0)
    allocate(work(50))
    work = 0.5d0
    !$omp parallel num_threads(width) shared(wrong) firstprivate(array, text, z, work)
    !$omp single
    do i = 1, 10
       !$omp task firstprivate(i, array, text, z, work) shared(wrong)
       if (sum(array) /= 210 .or. text /= 'fourteen' .or. z /= (1d0, -2d0) .or. sum(work) /= 25d0) then
          !$omp atomic
          wrong = wrong + 1
       end if
       array = i
       work = i
       text = 'changed'
       !$omp end task
    end do
    !$omp taskwait
    call expect(sum(array) == 210 .and. text == 'fourteen', "copies of their own")
    !$omp end single
    !$omp end parallel
    call expect(wrong == 0, "values")
  end subroutine values

  subroutine clauses(width) bind(c)
    integer(c_int), value :: width
    integer :: i, n, me
    logical :: fine
    n = 0
    fine = .true.
    !$omp parallel num_threads(width) shared(n, fine) private(me)
    !$omp single
    do i = 1, 8
       me = omp_get_thread_num()
       !$omp task if(.false.) firstprivate(me) shared(fine)
       if (omp_get_thread_num() /= me) fine = .false.
       !$omp end task
       !$omp task final(.true.) mergeable shared(n)
       if (omp_in_final()) then
          !$omp atomic
          n = n + 1
       end if
       !$omp end task
       !$omp task untied priority(i) shared(n)
       !$omp taskyield
       !$omp atomic
       n = n + 1
       !$omp end task
    end do
    !$omp end single
    !$omp end parallel
    call expect(fine, "undeferred")
    call expect(n == 16, "final and untied")
  end subroutine clauses

  subroutine depend_kinds(width) bind(c)
    integer(c_int), value :: width
    integer :: a, b, i, before, after
    a = 0
    b = 0
    before = -1
    after = -1
    !$omp parallel num_threads(width) shared(a, b, before, after)
    !$omp single
    !$omp task depend(out: a) shared(a)
    a = 5
    !$omp end task
    !$omp task depend(in: a) depend(out: b) shared(a, b)
    b = a + 1
    !$omp end task
    !$omp task depend(in: a, b) shared(a, b, before)
    before = a + b
    !$omp end task
    do i = 1, 6
       !$omp task depend(mutexinoutset: a) shared(a)
       a = a + 1
       !$omp end task
    end do
    !$omp task depend(in: a) shared(a, after)
    after = a
    !$omp end task
    !$omp taskwait depend(in: b)
    call expect(b == 6, "taskwait depend")
    !$omp taskwait
    call expect(before == 11, "in after out")
    call expect(after == 11, "mutexinoutset")
    !$omp end single
    !$omp end parallel
  end subroutine depend_kinds

  subroutine loops(width) bind(c)
    integer(c_int), value :: width
    integer :: i, j, last, hits(40), grid(6, 7)
    real(8) :: total
    last = -1
    hits = 0
    grid = 0
    total = 0
    !$omp parallel num_threads(width) shared(last, hits, grid, total)
    !$omp single
    !$omp taskloop lastprivate(last) grainsize(3) shared(hits)
    do i = 1, 40
       hits(i) = hits(i) + 1
       last = i
    end do
    !$omp end taskloop
    call expect(last == 40, "lastprivate")
    !$omp taskloop collapse(2) num_tasks(5) shared(grid)
    do i = 1, 6
       do j = 7, 1, -1
          grid(i, j) = grid(i, j) + i * j
       end do
    end do
    !$omp end taskloop
    !$omp taskloop reduction(+:total)
    do i = 1, 100, 3
       total = total + i
    end do
    !$omp end taskloop
    !$omp end single
    !$omp end parallel
    call expect(all(hits == 1), "hits")
    call expect(sum(grid) == 21 * 28, "collapse")
  end subroutine loops

  subroutine reductions(width) bind(c)
    integer(c_int), value :: width
    integer :: i
    real(8) :: vector(5)
    integer :: on_region
    vector = 1
    on_region = 0
    !$omp parallel num_threads(width) reduction(task, +:on_region) shared(vector)
    on_region = on_region + 1
    !$omp task in_reduction(+:on_region)
    on_region = on_region + 10
    !$omp end task
    !$omp single
    !$omp taskgroup task_reduction(+:vector)
    do i = 1, 20
       !$omp task in_reduction(+:vector) firstprivate(i)
       vector = vector + i
       !$omp end task
    end do
    !$omp end taskgroup
    call expect(all(vector == 211), "array")
    !$omp end single
    !$omp end parallel
    call expect(on_region == 11 * width, "on the region")
  end subroutine reductions

  subroutine detached(width) bind(c)
    integer(c_int), value :: width
    integer(omp_event_handle_kind) :: event
    integer :: x, i
    x = 0
    !$omp parallel num_threads(width) shared(x) private(event)
    !$omp single
    do i = 1, 10
       !$omp task detach(event) shared(x)
       !$omp atomic
       x = x + 1
       !$omp end task
       !$omp task firstprivate(event)
       call omp_fulfill_event(event)
       !$omp end task
       !$omp taskwait
       call expect(x == i, "completed")
    end do
    !$omp end single
    !$omp end parallel
  end subroutine detached

  recursive subroutine tree(depth, n)
    integer, value :: depth
    integer, intent(inout) :: n
    !$omp atomic
    n = n + 1
    if (depth == 0) return
    !$omp task shared(n) firstprivate(depth)
    call tree(depth - 1, n)
    !$omp end task
    !$omp task shared(n) firstprivate(depth)
    call tree(depth - 1, n)
    !$omp end task
  end subroutine tree

  subroutine orphaned(width) bind(c)
    integer(c_int), value :: width
    integer :: n, inner
    n = 0
    inner = 0
    !$omp parallel num_threads(width) shared(n, inner)
    !$omp master
    call tree(5, n)
    !$omp end master
    !$omp barrier
    call expect(n == 63, "tree")
    !$omp task shared(inner)
    !$omp parallel num_threads(2) shared(inner)
    !$omp task shared(inner)
    !$omp atomic
    inner = inner + 1
    !$omp end task
    !$omp end parallel
    !$omp end task
    !$omp end parallel
    call expect(inner == 2 * width, "teams in tasks")
  end subroutine orphaned

  subroutine cancelled(width) bind(c)
    integer(c_int), value :: width
    integer :: i, after
    after = 0
    !$omp parallel num_threads(width) shared(after)
    !$omp single
    !$omp taskgroup
    do i = 1, 10
       !$omp task shared(after)
       !$omp cancel taskgroup
       !$omp atomic
       after = after + 1
       !$omp end task
    end do
    !$omp end taskgroup
    !$omp end single
    !$omp end parallel
    call expect(after == merge(0, 10, omp_get_cancellation()), "after the cancellation")
  end subroutine cancelled
end module bodies

program clauses_fortran
  use bodies
  call run_check("values", values)
  call run_check("clauses", clauses)
  call run_check("depend-kinds", depend_kinds)
  call run_check("loops", loops)
  call run_check("reductions", reductions)
  call run_check("detached", detached)
  call run_check("orphaned", orphaned)
  call run_check("cancelled", cancelled)
  call finish()
end program clauses_fortran
